"""A classifier for scikit-learn: texts in, sparse indicators of labels out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Optional

import numpy
import scipy.sparse

from otseq2set.arguments import Choice, Path, integer, iterator
from otseq2set.metrics import evaluate, indicator
from otseq2set.model import Model
from otseq2set.storage import Folder
from otseq2set.training import train

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    raise ImportError("OTSeq2SetClassifier needs scikit-learn; Debian's package is python3-sklearn") from None


class OTSeq2SetClassifier(ClassifierMixin, BaseEstimator):
    """Learns from texts and their labels; predicts a sparse indicator of labels.

    ``X`` is any list of texts. ``y`` has a list of labels for each text, or is an indicator matrix of 0 and 1, dense or
    sparse, whose labels are the column numbers (for a DataFrame, the column names).

    preset: one of ``otseq2set.presets()``; config: changes single settings; epochs: replaces the preset's number;
    random_state: the seed (None: that of the settings, so that the same data gives the same model); n_jobs: threads, -1 for
    all cores; vectors: file of pretrained word vectors; folder: where to put the model (None: in a temporary folder, which is
    removed with the model); threshold, rule: which labels ``predict`` gives, as in ``Model.predict``; verbose: shows progress.

    >>> classifier = OTSeq2SetClassifier(preset=None, config=config, epochs=4).fit(texts, labels)
    >>> classifier.predict(["an oak"]).toarray()
    array([[0, 0, 1]])
    >>> classifier.classes_
    array(['birds', 'fish', 'trees'], dtype='<U5')
    """

    def __init__(self, preset: Optional[str] = "cpu_small", epochs: Optional[int] = None, random_state: Any = None,
                 n_jobs: Optional[int] = -1, config: Optional[Mapping[str, Any]] = None, vectors: Optional[Path] = None,
                 folder: Optional[Path] = None, threshold: Optional[float] = None, rule: Optional[str] = None,
                 verbose: bool = False) -> None:
        self.preset = preset
        self.epochs = epochs
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.config = config
        self.vectors = vectors
        self.folder = folder
        self.threshold = threshold
        self.rule = rule
        self.verbose = verbose

    def fit(self, X: Iterable[str], y: Any) -> OTSeq2SetClassifier:
        Choice(None, self.threshold, self.rule)  # complains before hours of training
        classes, labels = _labels(y)
        own = Folder.temporary() if self.folder is None else None
        place: Any = own.path if own else self.folder
        try:
            model = train(X, labels, place, preset=self.preset, config=self._config(), vectors=self.vectors,
                          progress=bool(self.verbose), overwrite=True, threads=self._threads())
        except KeyboardInterrupt:
            kept = "nothing is kept" if own else f"what was learnt is in {self.folder}, but the next fit starts again"
            del own  # the folder goes now, not when the traceback does
            raise KeyboardInterrupt(f"fit was stopped; {kept}") from None
        if own:
            model.keep(own)
        self.model_: Model = model
        self.classes_ = classes
        self._columns = {name: column for column, name in enumerate(_names(classes))}
        return self

    def predict(self, X: Iterable[str]) -> scipy.sparse.csr_matrix:
        """Returns an indicator with one column for each of ``classes_``."""
        check_is_fitted(self)
        answers = self.model_.predict(list(iterator(X, "X")), threshold=self.threshold, rule=self.rule)
        return _sparse([[self._columns[label.id] for label in labels] for labels in answers], len(self.classes_))

    def predict_proba(self, X: Iterable[str], top_k: Optional[int] = 100) -> scipy.sparse.csr_matrix:
        """Returns the scores of the ``top_k`` best labels of each text (None: all), one column for each of ``classes_``."""
        check_is_fitted(self)
        scores = self.model_.scores(iterator(X, "X"), top_k)
        columns = numpy.array([self._columns[label.id] for label in self.model_.labels], numpy.int64)
        result = scipy.sparse.csr_matrix((scores.data, columns[scores.indices], scores.indptr),
                                         shape=(scores.shape[0], len(self.classes_)))
        result.sort_indices()
        return result

    def score(self, X: Iterable[str], y: Any, sample_weight: None = None) -> float:
        """Returns micro-F1; scikit-learn's usual score, all labels of a document correct, is rare with thousands of labels.

        Labels that training did not see count as missed.
        """
        if sample_weight is not None:
            raise ValueError("sample_weight is not supported")
        check_is_fitted(self)
        truth, predicted = self._truth(y), self.predict(X)
        predicted.resize(predicted.shape[0], truth.shape[1])
        return evaluate(truth, predicted)["micro-F1"]

    def _truth(self, y: Any) -> scipy.sparse.csr_matrix:
        """An indicator with the columns of predict; labels that training did not see have theirs behind them."""
        if _is_matrix(y) and not hasattr(y, "columns"):
            matrix = _matrix(y)
            if matrix.shape[1] != len(self.classes_):
                raise ValueError(f"y has {matrix.shape[1]} columns, but there are {len(self.classes_)} classes")
            return matrix
        classes, documents = _labels(y, len(self.classes_))
        names = _names(classes)
        if _is_matrix(y) and self._columns.keys().isdisjoint(names):
            raise ValueError("no column of y has the name of a class")
        unseen = [name for name in names if name not in self._columns]
        columns = {**self._columns, **{name: column for column, name in enumerate(unseen, len(self._columns))}}
        return _sparse([[columns[label] for label in labels] for labels in documents], len(columns))

    def _config(self) -> dict[str, Any]:
        if not isinstance(self.config, (Mapping, type(None))):
            raise TypeError(f"config is {self.config!r:.60}, but must be a dict")
        config = dict(self.config or {})
        if self.epochs is not None:
            config["training.epochs"] = integer(self.epochs, "epochs", 1, 10**6)
        if self.random_state is not None:
            draws = hasattr(self.random_state, "randint")
            config["training.seed"] = int(self.random_state.randint(2**31 - 1)) if draws else integer(
                self.random_state, "random_state", 0, 2**32 - 1)
        return config

    def _threads(self) -> int:
        if self.n_jobs is None:
            return 1
        jobs = integer(self.n_jobs, "n_jobs", -1024, 1024)
        if jobs == 0:
            raise ValueError("n_jobs is 0, but must be 1 or more, or -1 for all cores")
        return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["string"], "multilabel": True, "requires_y": True, "no_validation": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        tags.classifier_tags.multi_label = True
        tags.no_validation = True
        return tags


def _is_matrix(y: Any) -> bool:
    return scipy.sparse.issparse(y) or getattr(y, "ndim", 1) == 2


def _matrix(y: Any) -> scipy.sparse.csr_matrix:
    given = y.to_numpy() if hasattr(y, "columns") else y
    result = indicator(given, "y")
    if (result != scipy.sparse.csr_matrix(given)).nnz:
        raise ValueError("y has numbers other than 0 and 1, so it is not an indicator; give labels as lists of str or int")
    return result


def _sparse(rows: Sequence[Sequence[int]], width: int) -> scipy.sparse.csr_matrix:
    """Ones in the columns that each row has."""
    starts = numpy.cumsum([0, *map(len, rows)])
    indices = numpy.array([column for row in rows for column in row], numpy.int64)
    result = scipy.sparse.csr_matrix((numpy.ones(len(indices), numpy.int64), indices, starts), shape=(len(rows), width))
    result.sort_indices()
    return result


def _labels(y: Any, width: Optional[int] = None) -> tuple[numpy.ndarray, list[list[str]]]:
    """The classes in ascending order, and the labels of each document as strings.

    Lists that may be the rows of an indicator are refused; where its ``width`` is known, only those of that length.
    """
    if _is_matrix(y):
        matrix = _matrix(y)
        classes = numpy.asarray(getattr(y, "columns", numpy.arange(matrix.shape[1])))
        names = _names(classes)
        return classes, [[names[column] for column in matrix.indices[begin:end]]
                         for begin, end in zip(matrix.indptr, matrix.indptr[1:])]
    given = list(iterator(y, "y", "labels"))
    documents = [list(iterator(labels, f"y[{place}]", "labels")) for place, labels in enumerate(given)]
    kinds = {type(label) for labels in documents for label in labels}
    lengths = {len(labels) for labels in documents}
    if (len(lengths) == 1 and width in (None, *lengths) and _are_bits(documents, kinds)
            and not any(isinstance(labels, Set) for labels in given)):
        raise ValueError("y has lists of 0 and 1, all of the same length: give numpy.asarray(y) if it is an indicator matrix, "
                         "or str if 0 and 1 are labels")
    if not all(issubclass(kind, (str, int, numpy.integer)) and kind is not bool for kind in kinds):
        raise TypeError(f"labels are {', '.join(sorted(kind.__name__ for kind in kinds))}, but must be str or int")
    found = {label for labels in documents for label in labels}
    _names(found)
    try:
        classes = numpy.array(sorted(found))
    except TypeError:
        raise TypeError("some labels are str and some int; use one type") from None
    return classes, [[str(label) for label in labels] for labels in documents]


def _are_bits(documents: list[list[Any]], kinds: set[type]) -> bool:
    """Whether there are zeros and, but for ones, nothing else."""
    if not all(issubclass(kind, (int, float, numpy.number, numpy.bool_)) for kind in kinds):
        return False
    values = {value for document in documents for value in document}
    return 0 in values and values <= {0, 1}


def _names(labels: Iterable[Any]) -> list[str]:
    """The labels as strings, no two of which may be the same."""
    names = [str(label) for label in labels]
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"y has two labels {name!r}: columns with the same name, or an int and a str")
    return names
