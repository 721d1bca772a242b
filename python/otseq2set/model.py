"""A trained model."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union, overload

from otseq2set import _core
from otseq2set.arguments import MOST_THREADS, Choice, Path, in_terms_of_python, integer, iterator, path, portions
from otseq2set.configuration import decoded
from otseq2set.errors import Error
from otseq2set.explanation import Explanation, explanation
from otseq2set.storage import Folder

if TYPE_CHECKING:
    import scipy.sparse

TOGETHER = 1024  # texts that are answered at a time; more would take memory and not be faster


class Label(NamedTuple):
    """A label of an answer."""

    name: str  #: the display name
    id: str  #: identifies the label in the training data; the same as the name if there is no other
    score: float  #: 0 to 1, as the program prints it


class LabelInfo(NamedTuple):
    """A label that a model knows."""

    name: str
    id: str
    training_documents: int  #: how many of them have it


class Model:
    """A trained model: labels for texts, and the reasons for them.

    Any number of threads may use one model at the same time; the interpreter's lock is released while it computes. Answers
    do not depend on the number of threads or on which texts are given together.

    >>> model = Model.load(folder)
    >>> [label.name for label in model.predict("a cod and a trawler")]
    ['fish']
    """

    def __init__(self, folder: Folder, threads: int = 0, beam: int = 1) -> None:
        if not isinstance(folder, Folder):
            raise TypeError(f"use Model.load({folder!r:.60}) to load a model")
        self._folder = folder
        self._options = (threads, beam)
        self._lock = threading.Lock()
        self._labels: Optional[list[LabelInfo]] = None
        self._core = self._load()

    @classmethod
    def load(cls, folder: Path, threads: int = 0, beam: int = 1) -> Model:
        """Loads the model from a folder that training wrote.

        ``threads`` is how many threads one call may use (0: all cores); use 1 if you call from several threads. A ``beam``
        above 1 is for the sequence models.
        """
        return cls(Folder(path(folder, "folder")), integer(threads, "threads", 0, MOST_THREADS),
                   integer(beam, "beam", 1, 1000))

    @overload
    def predict(self, texts: str, top_k: Optional[int] = None, threshold: Optional[float] = None,  # type: ignore
                rule: Optional[str] = None) -> list[Label]: ...

    @overload
    def predict(self, texts: Iterable[str], top_k: Optional[int] = None, threshold: Optional[float] = None,
                rule: Optional[str] = None) -> list[list[Label]]: ...

    def predict(self, texts: Union[str, Iterable[str]], top_k: Optional[int] = None, threshold: Optional[float] = None,
                rule: Optional[str] = None) -> Any:
        """Returns the labels of each text, best first; for a single text, its labels.

        Without further arguments this is the label set that the tuned rule selects. ``top_k``: this many labels with the best
        scores; ``threshold``: all labels with at least this score; both: the best of those. ``rule="greedy"``: the paper's
        set.

        >>> model.predict(["an oak", "a nest in the forest"])
        [[Label(name='trees', ...)], [Label(...), Label(...)]]
        >>> [label.name for label in model.predict("an oak", top_k=2)][0]
        'trees'
        """
        if isinstance(texts, str):
            return next(self.predict_iter([texts], top_k, threshold, rule))
        return list(self.predict_iter(texts, top_k, threshold, rule))

    def predict_iter(self, texts: Iterable[str], top_k: Optional[int] = None, threshold: Optional[float] = None,
                     rule: Optional[str] = None) -> Iterator[list[Label]]:
        """Like ``predict``, but one answer at a time, with only some texts of a stream in memory.

        >>> for labels in model.predict_iter(line for line in ["an oak", "a cod"]):
        ...     print(labels[0].name)
        trees
        fish
        """
        choice = Choice(top_k, threshold, rule).values()
        iterator(texts, "texts")  # complains now, not when the first answer is asked for

        def answers() -> Iterator[list[Label]]:
            done = 0
            for portion in portions(texts, TOGETHER):
                yield from self._core.predict(portion, done, *choice)
                done += len(portion)

        return answers()

    def scores(self, texts: Iterable[str], top_k: Optional[int] = 100) -> scipy.sparse.csr_matrix:
        """Returns the scores as a sparse float32 matrix: a row for each text and a column for each of ``labels``.

        Only the ``top_k`` best of each text are stored; with ``top_k=None`` all that are not 0, which are thousands per text.

        >>> model.scores(["an oak", "a cod"], top_k=1).shape
        (2, 3)
        """
        import numpy
        import scipy.sparse

        best = None if top_k is None else integer(top_k, "top_k", 1, 2**62)
        if isinstance(texts, str):
            texts = [texts]
        ends, columns, values = [numpy.zeros(1, numpy.int64)], [], []
        done = 0
        for portion in portions(texts, TOGETHER):
            own_ends, own_columns, own_values = self._core.scores(portion, done, best)
            ends.append(own_ends + ends[-1][-1])
            columns.append(own_columns)
            values.append(own_values)
            done += len(portion)
        indices = numpy.concatenate(columns) if columns else numpy.zeros(0, numpy.int32)
        data = numpy.concatenate(values) if values else numpy.zeros(0, numpy.float32)
        return scipy.sparse.csr_matrix((data, indices, numpy.concatenate(ends)), shape=(done, self._core.labels()))

    @overload
    def explain(self, text: str, top_k: Optional[int] = None, threshold: Optional[float] = None,  # type: ignore
                rule: Optional[str] = None, words: int = 10, leave_out: bool = False) -> Explanation: ...

    @overload
    def explain(self, text: Iterable[str], top_k: Optional[int] = None, threshold: Optional[float] = None,
                rule: Optional[str] = None, words: int = 10, leave_out: bool = False) -> list[Explanation]: ...

    def explain(self, text: Union[str, Iterable[str]], top_k: Optional[int] = None, threshold: Optional[float] = None,
                rule: Optional[str] = None, words: int = 10, leave_out: bool = False) -> Any:
        """Returns the labels of ``predict``, and for each the ``words`` that weigh most, with their positions in characters.

        A notebook shows the marked text. ``leave_out`` also measures how far the label's score falls without the word, which
        needs one prediction per distinct word. For a list of texts, returns a list.

        >>> word = model.explain("Über the oak").labels[0].words[0]
        >>> "Über the oak"[word.begin:word.end] == word.text
        True
        """
        choice = Choice(top_k, threshold, rule).values()
        most = integer(words, "words", 0, 2**31)
        if not isinstance(leave_out, bool):
            raise TypeError(f"leave_out is {leave_out!r:.60}, but must be a bool")
        if isinstance(text, str):
            return explanation(text, self._core.explain([text], *choice, most, leave_out)[0])
        return [explanation(one, answer) for portion in portions(text, TOGETHER)
                for one, answer in zip(portion, self._core.explain(portion, *choice, most, leave_out))]

    def evaluate(self, texts: Iterable[str], labels: Iterable[Iterable[str]], top_k: Optional[int] = None,
                 threshold: Optional[float] = None, rule: Optional[str] = None) -> dict[str, float]:
        """Returns all metrics for texts whose labels (ids) are known: micro-F1, macro-F1, P@1, nDCG@5, ...

        They are fractions, named as in ``otseq2set eval``. ``top_k``, ``threshold`` and ``rule`` only change those of sets.

        >>> round(model.evaluate(texts, labels)["micro-F1"], 1)
        1.0
        """
        choice = Choice(top_k, threshold, rule).values()
        with as_python():
            return self._core.evaluate(list(iterator(texts, "texts")), list(iterator(labels, "labels", "labels")), *choice)

    def tune(self, texts: Iterable[str], labels: Iterable[Iterable[str]], measure: str = "micro-F1") -> str:
        """Chooses the rule that selects the label set, on texts that the model was not trained on, and saves it in the folder.

        ``measure`` is what to maximise: micro-F1, macro-F1, weighted-F1 or example-F1. Returns the rule in words.

        >>> model.tune(texts, labels)
        '...: micro-F1 ... on 240 documents ...'
        """
        if not isinstance(measure, str):
            raise TypeError(f"measure is {measure!r:.60}, but must be a str such as 'micro-F1'")
        self._folder.check()
        with as_python():
            found = _core.tune(os.fsencode(self._folder.path), list(iterator(texts, "texts")),
                               list(iterator(labels, "labels", "labels")), measure, *self._options)
        self._folder.loaded()
        self._core = self._load()
        return found

    @property
    def labels(self) -> list[LabelInfo]:
        """The labels that the model knows, the most frequent one first, in the order of the columns of ``scores``.

        >>> sorted(label.name for label in model.labels)
        ['birds', 'fish', 'trees']
        """
        with self._lock:
            if self._labels is None:
                self._labels = [LabelInfo(*self._core.label(number)) for number in range(self._core.labels())]
            return list(self._labels)

    def info(self) -> dict[str, Any]:
        """Returns facts: variant, set rule, sizes, number of training documents, and all settings.

        >>> model.info()["labels"], model.info()["settings"]["training.seed"]
        (3, 1)
        """
        facts = self._core.info()
        return {**facts, "settings": {one.key: one.value for one in decoded(facts["settings"])}}

    @property
    def folder(self) -> str:
        """The folder that it was loaded from."""
        return str(self._folder.path)

    def keep(self, folder: Folder) -> None:
        """Takes over the folder, which is then removed with the model."""
        folder.loaded()
        self._folder = folder

    def __repr__(self) -> str:
        facts = self._core.info()
        return f"<otseq2set.Model {self.folder}: {facts['variant']}, {facts['labels']} labels, {facts['words']} words>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the content of the folder, so that another machine can load it."""
        return _restore, (self._folder.content(), *self._options)

    def _load(self) -> _core.Model:
        return _core.Model(os.fsencode(self._folder.path), *self._options, Label)


def _restore(content: dict[str, bytes], threads: int, beam: int) -> Model:
    return Model(Folder.of_content(content), threads, beam)


class as_python:
    """Errors inside of the block speak of Python's arguments."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Error):
            raise type(error)(in_terms_of_python(str(error))) from None
