"""OTSeq2SetClassifier as scikit-learn uses it."""

import functools
import os
import pickle
import signal
import warnings

import numpy
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer
from sklearn.utils import estimator_checks

import otseq2set
from otseq2set import OTSeq2SetClassifier, classifier

CLASSES = ["birds", "fish", "trees"]
MICRO_F1 = make_scorer(f1_score, average="micro")


@pytest.fixture()
def small(config):
    return OTSeq2SetClassifier(preset=None, config=config, epochs=3, random_state=1)


@pytest.fixture(scope="module")
def indicator(corpus):
    return MultiLabelBinarizer(sparse_output=True).fit_transform(corpus[1])


@pytest.fixture(scope="module")
def fitted(corpus, config):
    return OTSeq2SetClassifier(preset=None, config=config, epochs=4).fit(*corpus)


def test_learns_from_lists_of_labels(fitted, corpus):
    assert fitted.classes_.tolist() == CLASSES
    found = fitted.predict(corpus[0])
    assert scipy.sparse.issparse(found) and found.format == "csr" and found.shape == (240, 3)
    assert f1_score(MultiLabelBinarizer().fit_transform(corpus[1]), found, average="micro") > 0.9
    assert fitted.predict(["an oak"]).toarray().tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("kind", ["sparse", "dense", "table"])
def test_learns_from_an_indicator(small, corpus, indicator, kind):
    y = {"sparse": indicator, "dense": indicator.toarray(),
         "table": pandas.DataFrame(indicator.toarray(), columns=CLASSES)}[kind]
    small.fit(corpus[0], y)
    assert small.classes_.tolist() == (CLASSES if kind == "table" else [0, 1, 2])
    assert small.predict(["an oak", "a cod"]).toarray().tolist() == [[0, 0, 1], [0, 1, 0]]


def test_a_column_without_documents_is_never_predicted(small, corpus, indicator):
    wide = scipy.sparse.hstack([scipy.sparse.csr_matrix((240, 1)), indicator]).tocsr()
    found = small.fit(corpus[0], wide).predict(corpus[0])
    assert found.shape == (240, 4) and found[:, 0].nnz == 0 and len(small.classes_) == 4


def test_labels_may_be_integers(small, corpus):
    numbers = {"fish": 30, "birds": 4, "trees": 200}
    small.fit(corpus[0], [[numbers[label] for label in labels] for labels in corpus[1]])
    assert small.classes_.tolist() == [4, 30, 200] and small.predict(["an oak"]).toarray().tolist() == [[0, 0, 1]]


def test_probabilities_are_sparse_and_ranked(fitted):
    scores = fitted.predict_proba(["an oak", "a cod"], top_k=2)
    assert scipy.sparse.issparse(scores) and scores.shape == (2, 3) and scores.getnnz(axis=1).tolist() == [2, 2]
    assert scores[0].argmax() == 2 and scores[1].argmax() == 1 and scores.max() <= 1
    best = fitted.model_.predict("an oak", top_k=1)[0]
    assert scores[0, CLASSES.index(best.id)] == numpy.float32(best.score)


def test_the_seed_is_the_random_state(small, corpus, config):
    small.fit(*corpus)
    again = clone(small).fit(*corpus)
    other = clone(small).set_params(random_state=2).fit(*corpus)
    weights = [otseq2set.weights(one.model_.folder)["encoder.embedding.weight"] for one in (small, again, other)]
    assert (weights[0] == weights[1]).all() and (weights[0] != weights[2]).any()


def test_params_and_clone(config):
    classifier = OTSeq2SetClassifier(preset="debtags", config=config, n_jobs=2, threshold=0.4)
    params = classifier.get_params()
    assert params["preset"] == "debtags" and params["threshold"] == 0.4
    assert clone(classifier).get_params() == params
    assert classifier.set_params(epochs=7).epochs == 7
    with pytest.raises(ValueError, match="Invalid parameter"):
        classifier.set_params(epoch=7)


def test_pipeline(small, corpus, indicator):
    lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
    pipeline = Pipeline([("lower", lower), ("labels", small)]).fit(corpus[0], indicator)
    assert pipeline.predict(["AN OAK"]).toarray().tolist() == [[0, 0, 1]]
    assert pipeline.score(corpus[0], indicator) > 0.8


def test_cross_validation(small, corpus, indicator):
    assert (cross_val_score(small, corpus[0], indicator, cv=2, scoring=MICRO_F1) > 0.5).all()
    assert (cross_val_score(small, corpus[0], corpus[1], cv=KFold(2)) > 0.5).all()


def test_cross_validation_with_a_label_that_only_one_fold_has(small, corpus):
    labels = [[*corpus[1][0], "rare"], *corpus[1][1:]]
    assert (cross_val_score(small, corpus[0], labels, cv=KFold(2)) > 0.5).all()


def test_grid_search(small, corpus, indicator):
    search = GridSearchCV(small, {"epochs": [2], "threshold": [0.3, 1.0]}, cv=2, scoring=MICRO_F1, n_jobs=2)
    search.fit(pandas.Series(corpus[0]), indicator)
    assert search.best_params_ == {"epochs": 2, "threshold": 0.3} and search.best_score_ > 0.5


def test_pickling_takes_the_model_along(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict_proba(["an oak"]) != fitted.predict_proba(["an oak"])).nnz == 0


def test_score_is_micro_f1(fitted, corpus, indicator):
    truth = MultiLabelBinarizer().fit_transform(corpus[1])
    assert fitted.score(*corpus) == pytest.approx(f1_score(truth, fitted.predict(corpus[0]), average="micro"))


def test_score_counts_labels_that_training_did_not_see_as_missed(fitted):
    assert fitted.score(["an oak"], [["trees"]]) == 1
    assert fitted.score(["an oak"], [["trees", "moss"]]) == pytest.approx(2 / 3)
    assert fitted.score(["an oak"], [["moss"]]) == 0


def test_score_goes_by_the_names_of_a_table(fitted, corpus, indicator):
    table = pandas.DataFrame(indicator.toarray(), columns=CLASSES)
    assert fitted.score(corpus[0], table[["trees", "birds", "fish"]]) == fitted.score(*corpus)
    assert fitted.score(["an oak"], pandas.DataFrame({"moss": [1], "trees": [1]})) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="no column of y has the name of a class"):
        fitted.score(corpus[0], pandas.DataFrame(indicator.toarray()))


@pytest.mark.parametrize("y, message", [
    (["trees", "fish"], r"y\[0\] is one str"), (numpy.array([[0, 0, 2], [0, 1, 0]]), "other than 0 and 1"),
    ([[0, 0, 1], [0, 1, 0]], "numpy.asarray"), (numpy.array([[0, 1], [1, 0]]), "2 columns, but there are 3 classes"),
    ([[1], ["1"]], "an int and a str"), (pandas.DataFrame([[1, 0], [0, 1]], columns=["fish", "fish"]), "columns with the same name"),
])
def test_score_refuses_wrong_labels(fitted, y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        fitted.score(["an oak", "a cod"], y)


def test_integer_labels_0_and_1_are_told_from_an_indicator(small, corpus):
    numbers = {label: number for number, label in enumerate(CLASSES)}
    small.fit(corpus[0], [{numbers[label] for label in labels} for labels in corpus[1]])
    assert small.classes_.tolist() == [0, 1, 2]
    assert small.score(["a cod"], [[1]]) == small.score(["a cod", "an oak"], [[1], [2]]) == 1


@pytest.mark.parametrize("chosen", [True, False])
def test_a_stopped_fit_tells_what_is_kept(small, corpus, monkeypatch, tmp_path, chosen):
    def interrupt(progress):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(classifier, "train", functools.partial(otseq2set.train, callback=interrupt))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background, shells have it ignored
    with pytest.raises(KeyboardInterrupt) as stopped:
        small.set_params(folder=tmp_path / "model" if chosen else None).fit(*corpus)
    signal.signal(signal.SIGINT, before)
    kept = f"what was learnt is in {tmp_path}/model, but the next fit starts again" if chosen else "nothing is kept"
    assert str(stopped.value) == f"fit was stopped; {kept}"
    assert [file.name for file in tmp_path.iterdir()] == (["model"] if chosen else [])


def test_not_fitted():
    with pytest.raises(NotFittedError):
        OTSeq2SetClassifier().predict(["an oak"])


@pytest.mark.parametrize("y, message", [
    (["fish", "trees"], r"y\[0\] is one str"), ([[1.5], [2.5]], "must be str or int"), ([["a"], [1]], "one type"),
    (None, "y is None"), ([["a"]], "there are 2 texts, but 1 labels"), (numpy.array([["a"], ["b"]]), "without numbers"),
    ([[0, 1], [1, 0]], "numpy.asarray"), ([[True, False], [False, True]], "numpy.asarray"), ([[0.0], [1.0]], "numpy.asarray"),
    (numpy.array([[0, 3], [1, 0]]), "other than 0 and 1"), (scipy.sparse.csr_matrix([[0.5, 0], [0, 1]]), "other than 0 and 1"),
    (pandas.DataFrame([[1, 0], [0, 1]], columns=["a", "a"]), "columns with the same name"), ([["1"], [1]], "an int and a str"),
])
def test_wrong_labels_are_told(small, y, message):
    with pytest.raises((TypeError, ValueError), match=message):
        small.fit(["an oak", "a cod"], y)


@pytest.mark.parametrize("params, message", [
    ({"epochs": 0}, "epochs is 0"), ({"n_jobs": 0}, "n_jobs"), ({"random_state": -1}, "random_state"),
    ({"threshold": 2}, "threshold is 2"), ({"rule": "best"}, "rule is 'best'"), ({"preset": "none"}, "none"),
    ({"config": 3}, "config is 3, but must be a dict"),
])
def test_wrong_parameters_are_told_by_fit(config, corpus, params, message):
    with pytest.raises((TypeError, ValueError), match=message):
        OTSeq2SetClassifier(**{"preset": None, "config": config, **params}).fit(*corpus)


# docs/python.md says why the others do not apply: they fit on matrices of numbers.
@pytest.mark.parametrize("name", [
    "check_no_attributes_set_in_init", "check_parameters_default_constructible", "check_get_params_invariance",
    "check_set_params", "check_estimator_get_tags_default_keys", "check_valid_tag_types", "check_estimator_repr",
    "check_estimator_cloneable",
])
def test_checks_of_scikit_learn(name):
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip("this version does not have it")
    check("OTSeq2SetClassifier", OTSeq2SetClassifier())


def test_check_estimator_has_nothing_against_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it cannot test with texts
        estimator_checks.check_estimator(OTSeq2SetClassifier())
