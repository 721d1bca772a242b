"""The field's measures for the predictions of any tool: sparse matrices in, a dict out.

Matrices have one row per document and one column per label, in any of SciPy's sparse formats or dense. Measures of sets:
micro-P, micro-R and micro-F1 count all (document, label) pairs; macro-F1 is the mean over all columns, where one that is never
true nor predicted counts as 0; weighted-F1 is the same, weighted by how often the label is true; example-F1 is the mean over
documents. Measures of rankings: P@k, always divided by k; R@k; nDCG@k; and PSP@k and PSnDCG@k, weighted by propensity
(Jain, Prabhu and Varma 2016), as ratios of sums over documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy
import scipy.sparse

from otseq2set import _core
from otseq2set.arguments import describe, integer, iterator, number

KS = (1, 3, 5)


def evaluate(
    truth: Any,
    predicted: Any = None,
    scores: Any = None,
    *,
    train: Any = None,
    ks: Sequence[int] = KS,
    propensity_a: float = 0.55,
    propensity_b: float = 1.5,
) -> dict[str, float]:
    """Returns every measure that the arguments allow.

    ``truth`` and ``predicted`` are indicators: everything that is not 0 counts. Measures of sets need ``predicted``. Measures
    of rankings need ``scores``; entries that a sparse matrix does not store are not ranked, and equal scores rank by column.
    PSP and PSnDCG need ``train``, the indicator of the training documents, or a pair: how many of them have each label, and
    how many there are.

    >>> truth = [[1, 0, 1], [0, 1, 0]]
    >>> found = evaluate(truth, predicted=[[1, 0, 0], [0, 1, 1]], scores=[[.9, .1, .3], [.2, .8, .5]])
    >>> found["micro-F1"], found["P@1"], found["R@3"]
    (0.666..., 1.0, 1.0)
    """
    true = indicator(truth, "truth")
    if predicted is None and scores is None:
        raise ValueError("neither predicted nor scores is given")
    sets = None if predicted is None else indicator(predicted, "predicted")
    ranked = None if scores is None else _matrix(scores, "scores", with_zeros=True)
    for name, other in (("predicted", sets), ("scores", ranked)):
        if other is not None and other.shape != true.shape:
            raise ValueError(f"truth has shape {true.shape}, but {name} has {other.shape}")
    places = [integer(k, "a k of ks", 1, 2**31 - 1) for k in iterator(ks, "ks", "integers")] if ranked is not None else []
    counts, documents = _training(train, true.shape[1])
    found = _core.measure(_rows(true), _rows(sets) if sets is not None else _none(true),
                          _ranking(ranked, max(places, default=0)) if ranked is not None else _none(true), true.shape[1],
                          counts, documents, number(propensity_a, "propensity_a", 0, 1e6),
                          number(propensity_b, "propensity_b", 0, 1e6), places)
    return {name: value for name, value in found.items() if _asked_for(name, sets is not None, train is not None)}


def by_label(truth: Any, predicted: Any) -> dict[str, numpy.ndarray]:
    """Returns true, predicted, hits, precision, recall and f1 of each column; ratios are 0 where the divisor is 0.

    >>> by_label([[1, 0], [1, 1]], [[1, 0], [0, 1]])["recall"]
    array([0.5, 1. ])
    """
    true, sets = indicator(truth, "truth"), indicator(predicted, "predicted")
    if true.shape != sets.shape:
        raise ValueError(f"truth has shape {true.shape}, but predicted has {sets.shape}")
    hits, truths, predictions = (_column_sums(matrix) for matrix in (true.multiply(sets), true, sets))
    return {"true": truths, "predicted": predictions, "hits": hits, "precision": _ratio(hits, predictions),
            "recall": _ratio(hits, truths), "f1": _ratio(2 * hits, truths + predictions)}


def micro_f1(truth: Any, predicted: Any) -> float:
    """Returns micro-F1, for scikit-learn's ``make_scorer``.

    >>> micro_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.8
    """
    return evaluate(truth, predicted)["micro-F1"]


def indicator(matrix: Any, name: str = "matrix") -> scipy.sparse.csr_matrix:
    """Converts any matrix to a sparse one, with 1 where it is not 0."""
    result = _matrix(matrix, name)
    result.eliminate_zeros()
    result.data = numpy.ones(len(result.data), numpy.int64)
    return result


def _matrix(matrix: Any, name: str, with_zeros: bool = False) -> scipy.sparse.csr_matrix:
    """with_zeros: those of a dense matrix are stored too; what is not stored in a sparse one stays so."""
    try:
        if not scipy.sparse.issparse(matrix):
            matrix = numpy.asarray(matrix)
        if matrix.ndim != 2:
            raise ValueError(f"{name} has {matrix.ndim} dimensions, but must be a matrix, documents by labels")
        if matrix.dtype.kind not in "biuf":
            raise TypeError
        if with_zeros:
            matrix = matrix.astype(numpy.float64)
        if with_zeros and not scipy.sparse.issparse(matrix):
            rows, columns = matrix.shape
            parts = matrix.ravel(), numpy.tile(numpy.arange(columns), rows), numpy.arange(rows + 1) * columns
            result = scipy.sparse.csr_matrix(parts, shape=matrix.shape)
        else:
            result = scipy.sparse.csr_matrix(matrix, copy=True)
    except TypeError:
        raise TypeError(f"{name} is {describe(matrix)} without numbers, but must be a matrix, documents by labels") from None
    if result.dtype.kind == "f" and not numpy.isfinite(result.data).all():
        raise ValueError(f"{name} has values that are not finite")
    result.check_format()
    result.sum_duplicates()
    return result


Rows = tuple[numpy.ndarray, numpy.ndarray]


def _rows(matrix: scipy.sparse.csr_matrix) -> Rows:
    return matrix.indptr.astype(numpy.int64), matrix.indices.astype(numpy.int64)


def _none(like: scipy.sparse.csr_matrix) -> Rows:
    return numpy.zeros(like.shape[0] + 1, numpy.int64), numpy.zeros(0, numpy.int64)


def _ranking(scores: scipy.sparse.csr_matrix, most: int) -> Rows:
    """The columns of each row, best first, no more than asked for."""
    starts, ranked = [0], []
    for begin, end in zip(scores.indptr, scores.indptr[1:]):
        order = numpy.argsort(-scores.data[begin:end], kind="stable")[:most]  # columns ascend, so ties go to the first
        ranked.append(scores.indices[begin:end][order])
        starts.append(starts[-1] + len(order))
    return numpy.array(starts, numpy.int64), numpy.concatenate([*ranked, numpy.zeros(0, numpy.int64)]).astype(numpy.int64)


def _training(train: Any, labels: int) -> tuple[list[int], int]:
    if train is None:
        return [], 0
    if isinstance(train, tuple):
        if len(train) != 2:
            raise ValueError("train must be a matrix, or a pair: counts of the labels, number of documents")
        counts, documents = numpy.asarray(train[0]), integer(train[1], "train[1]", 0, 2**62)
        if counts.ndim != 1 or counts.dtype.kind not in "iu":
            raise TypeError("train[0] must be a list of integers, how many training documents have each label")
    else:
        matrix = indicator(train, "train")
        counts, documents = _column_sums(matrix), matrix.shape[0]
    if len(counts) != labels or (len(counts) and not 0 <= counts.min() <= counts.max() < 2**32):
        raise ValueError(f"train counts {len(counts)} labels, but truth has {labels}, or a count is impossible")
    return [int(count) for count in counts], documents


def _column_sums(matrix: scipy.sparse.csr_matrix) -> numpy.ndarray:
    return numpy.asarray(matrix.sum(axis=0)).ravel().astype(numpy.int64)


def _ratio(part: numpy.ndarray, whole: numpy.ndarray) -> numpy.ndarray:
    return numpy.divide(part, whole, out=numpy.zeros(len(part)), where=whole > 0)


OF_SETS = ("micro-P", "micro-R", "micro-F1", "macro-F1", "weighted-F1", "example-F1", "documents_with_neither",
           "mean_predicted_labels")


def _asked_for(name: str, sets: bool, train: bool) -> bool:
    return (sets or name not in OF_SETS) and (train or not name.startswith("PS"))
