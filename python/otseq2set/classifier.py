"""A classifier for scikit-learn: texts in, sparse indicators of labels out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
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

    ``X`` is any list of texts. ``y`` has a list of labels for each text, or is an indicator matrix, dense or sparse, whose
    labels are its columns' numbers (of a DataFrame, their names).

    preset: one of ``otseq2set.presets()``; config: changes of single settings; epochs: instead of the preset's;
    random_state: the seed (None: that of the settings, so that the same data gives the same model); n_jobs: threads, -1 for
    all cores; vectors: file of pretrained word vectors; folder: where the model goes (None: to a temporary folder, which is
    removed with the model); threshold, rule: which labels ``predict`` gives, as of ``Model.predict``; verbose: shows progress.

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
        model = train(X, labels, place, preset=self.preset, config=self._config(), vectors=self.vectors,
                      progress=bool(self.verbose), overwrite=True, threads=self._threads())
        if own:
            model.keep(own)
        self.model_: Model = model
        self.classes_ = classes
        self._columns = {str(name): column for column, name in enumerate(classes.tolist())}
        return self

    def predict(self, X: Iterable[str]) -> scipy.sparse.csr_matrix:
        """An indicator, a column for each of ``classes_``."""
        check_is_fitted(self)
        answers = self.model_.predict(list(iterator(X, "X")), threshold=self.threshold, rule=self.rule)
        columns = [numpy.sort([self._columns[label.id] for label in labels]) for labels in answers]
        starts = numpy.cumsum([0, *map(len, columns)])
        indices = numpy.concatenate([*columns, numpy.zeros(0, numpy.int64)]).astype(numpy.int64)
        return scipy.sparse.csr_matrix((numpy.ones(len(indices), numpy.int64), indices, starts),
                                       shape=(len(answers), len(self.classes_)))

    def predict_proba(self, X: Iterable[str], top_k: Optional[int] = 100) -> scipy.sparse.csr_matrix:
        """The scores of the ``top_k`` best labels of each text (None: of all), a column for each of ``classes_``."""
        check_is_fitted(self)
        scores = self.model_.scores(iterator(X, "X"), top_k)
        columns = numpy.array([self._columns[label.id] for label in self.model_.labels], numpy.int64)
        result = scipy.sparse.csr_matrix((scores.data, columns[scores.indices], scores.indptr),
                                         shape=(scores.shape[0], len(self.classes_)))
        result.sort_indices()
        return result

    def score(self, X: Iterable[str], y: Any, sample_weight: None = None) -> float:
        """Micro-F1: that all of a document's labels are right, scikit-learn's usual score, is rare with thousands."""
        if sample_weight is not None:
            raise ValueError("sample_weight is not supported")
        check_is_fitted(self)
        return evaluate(self._indicator(y), self.predict(X))["micro-F1"]

    def _indicator(self, y: Any) -> scipy.sparse.csr_matrix:
        """Of labels that were not in training, a column each behind the others would be needed; they are refused."""
        if _is_matrix(y):
            return indicator(y, "y")
        rows = [[self._columns.get(str(label), -1) for label in labels] for labels in iterator(y, "y", "labels")]
        if any(column < 0 for row in rows for column in row):
            raise ValueError("y has labels that training had not; Model.evaluate counts them as missed")
        starts = numpy.cumsum([0, *map(len, rows)])
        indices = numpy.array([column for row in rows for column in row], numpy.int64)
        return indicator(scipy.sparse.csr_matrix((numpy.ones(len(indices)), indices, starts),
                                                 shape=(len(rows), len(self.classes_))))

    def _config(self) -> dict[str, Any]:
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


def _labels(y: Any) -> tuple[numpy.ndarray, list[list[str]]]:
    """The classes in ascending order, and the labels of each document as strings."""
    if _is_matrix(y):
        columns = getattr(y, "columns", None)
        matrix = indicator(y if columns is None else y.to_numpy(), "y")
        classes = numpy.arange(matrix.shape[1]) if columns is None else numpy.asarray(columns)
        names = [str(name) for name in classes.tolist()]
        rows = [[names[column] for column in matrix.indices[begin:end]]
                for begin, end in zip(matrix.indptr, matrix.indptr[1:])]
        return classes, rows
    documents = [list(iterator(labels, f"y[{place}]", "labels")) for place, labels in enumerate(iterator(y, "y", "labels"))]
    kinds = {type(label) for labels in documents for label in labels}
    if not all(issubclass(kind, (str, int, numpy.integer)) and kind is not bool for kind in kinds):
        raise TypeError(f"labels are {', '.join(sorted(kind.__name__ for kind in kinds))}, but must be str or int")
    found = {str(label): label for labels in documents for label in labels}
    try:
        classes = numpy.array(sorted(found.values()))
    except TypeError:
        raise TypeError("some labels are str and some int; let them be of one type") from None
    return classes, [[str(label) for label in labels] for labels in documents]
