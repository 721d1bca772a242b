"""Gives each document a set of labels, chosen from thousands; learns from documents that already have labels.

>>> import otseq2set
>>> model = otseq2set.train(texts, labels, folder, config=config, progress=False, overwrite=True)
>>> model.predict("a cod and a trawler")
[Label(name='fish', id='fish', score=...)]

Prediction needs no LibTorch; ``train`` loads it when it is first called. See docs/python.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from otseq2set import _core
from otseq2set.errors import Error, Interrupted, UsageError
from otseq2set.explanation import Explanation, LabelReasons, NgramReason, WordReason
from otseq2set.frames import to_frame
from otseq2set.model import Label, LabelInfo, Model
from otseq2set.configuration import Setting, presets, settings
from otseq2set.training import Progress, train
from otseq2set.weight_files import weights

if TYPE_CHECKING:
    from otseq2set import metrics
    from otseq2set.classifier import OTSeq2SetClassifier

__version__ = _core.version()

__all__ = [
    "Error", "Explanation", "Interrupted", "Label", "LabelInfo", "LabelReasons", "Model", "NgramReason",
    "OTSeq2SetClassifier", "Progress", "Setting", "UsageError", "WordReason", "metrics", "presets", "settings",
    "to_frame", "train", "weights",
]


def __getattr__(name: str) -> Any:
    """Loads what needs numpy, SciPy or scikit-learn on first use, so that a program that only predicts starts sooner."""
    import importlib

    if name == "metrics":
        return importlib.import_module("otseq2set.metrics")
    if name == "OTSeq2SetClassifier":
        return importlib.import_module("otseq2set.classifier").OTSeq2SetClassifier
    raise AttributeError(f"module 'otseq2set' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
