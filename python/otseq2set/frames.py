"""Predictions as a pandas table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Optional

from otseq2set.model import Label

if TYPE_CHECKING:
    import pandas


def to_frame(predictions: Iterable[Sequence[Label]], index: Optional[Iterable[Any]] = None) -> pandas.DataFrame:
    """Returns a DataFrame with one row per label: document, rank (from 1), name, id, score.

    ``index`` names the documents: ``to_frame(model.predict(table["text"]), table.index)``. Without it, they are
    numbered from 0.
    """
    import pandas

    documents = list(predictions)
    if any(isinstance(one, Label) for one in documents):
        raise TypeError("predictions are the labels of one text, but must be a list for each text: [model.predict(text)]")
    names = range(len(documents)) if index is None else list(index)
    if len(names) != len(documents):
        raise ValueError(f"there are {len(documents)} predictions, but the index has {len(names)}")
    rows = [(name, rank, *label) for name, labels in zip(names, documents) for rank, label in enumerate(labels, 1)]
    return pandas.DataFrame(rows, columns=["document", "rank", *Label._fields])
