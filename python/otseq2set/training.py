"""From documents with labels to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Optional

from otseq2set.arguments import MOST_THREADS, Path, in_terms_of_python, integer, iterator, number, path
from otseq2set.configuration import assignments, preset_name
from otseq2set.errors import Error, Interrupted, UsageError
from otseq2set.model import Model, as_python
from otseq2set.progress import display


class Progress(NamedTuple):
    """How far training has got, after a batch. Losses are means over the epoch so far."""

    epoch: int  #: from 1
    epochs: int
    documents_done: int  #: in all epochs
    documents_total: int
    loss: float
    matching_loss: float  #: 0 for the sequence models, like transport_loss
    transport_loss: float
    learning_rate: float
    documents_per_second: float
    seconds_left: float


def train(
    texts: Iterable[str],
    labels: Iterable[Iterable[str]],
    folder: Path,
    *,
    preset: Optional[str] = "auto",
    hours: float = 1,
    config: Optional[Mapping[str, Any]] = None,
    valid: Optional[tuple[Iterable[str], Iterable[Iterable[str]]]] = None,
    vectors: Optional[Path] = None,
    label_names: Optional[Mapping[str, str]] = None,
    callback: Optional[Callable[[Progress], Any]] = None,
    progress: bool = True,
    resume: bool = False,
    overwrite: bool = False,
    threads: int = 0,
    memory_check: bool = True,
    checkpoint_minutes: float = 10,
) -> Model:
    """Learns from texts and the labels of each, saves the model in ``folder`` and returns it.

    By default the settings follow from the texts, the cores and the time, ``hours``; training tells which and why.
    ``preset`` is one of ``presets()`` instead, or None for the paper's values. ``config`` changes single settings, such as
    ``{"training.epochs": 5}``; ``settings(preset)`` lists them. ``valid``, a pair of texts and labels, is used to
    choose the best epoch; without it, part of the texts is held out. ``vectors`` is a file of pretrained word vectors (GloVe text or .vec). ``label_names`` gives
    labels display names. The same texts, settings and seed give the same bytes, in Python and in the program, on any number
    of threads.

    ``callback(progress)`` is called after each batch; if it returns something true, training stops with ``Interrupted``. On
    Ctrl-C a checkpoint is saved too. The same call with ``resume=True`` continues, and ends with the same bytes as a run that
    was never stopped. ``progress`` shows a bar, in a terminal and in a notebook.

    >>> model = train(texts, labels, folder, hours=0.001, config={"training.epochs": 4}, progress=False, overwrite=True)
    >>> model
    <otseq2set.Model ...: otseq2set, 3 labels, ... words>
    """
    place = path(folder, "folder")
    given = list(iterator(texts, "texts")), list(iterator(labels, "labels", "labels"))
    held_out = None if valid is None else _pair(valid)
    if label_names is not None and not isinstance(label_names, Mapping):
        raise TypeError(f"label_names is of type {type(label_names).__name__}, but must be a dict from label to name")
    if callback is not None and not callable(callback):
        raise TypeError(f"callback is of type {type(callback).__name__}, but must be a function of the progress")
    for name, flag in (("progress", progress), ("resume", resume), ("overwrite", overwrite), ("memory_check", memory_check)):
        if not isinstance(flag, bool):
            raise TypeError(f"{name} is {flag!r:.60}, but must be a bool")
    options = (b"" if vectors is None else path(vectors, "vectors"), integer(threads, "threads", 0, MOST_THREADS), resume,
               overwrite, memory_check, number(checkpoint_minutes, "checkpoint_minutes", 0, 1e9), number(hours, "hours", 0, 1e9))
    settings = preset_name(preset), assignments(config)
    if resume and overwrite:
        raise UsageError("resume=True and overwrite=True cannot be given together")
    with display(progress) as shown:

        def after_batch(*values: Any) -> bool:
            now = Progress(*values)
            shown.progress(now)
            return callback is not None and bool(callback(now))

        def line(text: str) -> None:
            shown.line(in_terms_of_python(text))

        on = f"to continue with what is in {folder}, repeat the call of otseq2set.train with resume=True"
        try:
            with as_python():
                _native().train(*given, None if label_names is None else dict(label_names), held_out, place, *settings, *options,
                             after_batch, line)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped; {on}") from None
        except Interrupted:
            raise Interrupted(f"stopped by the callback; {on}") from None
    return Model.load(folder, threads=threads)


def _pair(valid: Any) -> tuple[list[Any], list[Any]]:
    if not isinstance(valid, (tuple, list)) or len(valid) != 2:
        raise TypeError("valid must be a pair: texts and their labels")
    return list(iterator(valid[0], "valid texts")), list(iterator(valid[1], "valid labels", "labels"))


def _native() -> Any:
    """What trains, with LibTorch: loaded when it is first needed."""
    try:
        from otseq2set import _training
    except ImportError as error:
        raise Error(f"training is not installed ({error}); Debian's package is otseq2set-training") from None
    return _training
