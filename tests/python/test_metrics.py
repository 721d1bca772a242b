"""otseq2set.metrics against definitions written out, scikit-learn, and the model's own evaluation."""

import math

import numpy
import pytest
import scipy.sparse
from sklearn.metrics import f1_score

from otseq2set import metrics


@pytest.fixture(scope="module")
def made_up():
    chance = numpy.random.default_rng(5)
    truth = (chance.random((200, 30)) < 0.1).astype(int)
    predicted = (chance.random((200, 30)) < 0.3).astype(int) * truth + (chance.random((200, 30)) < 0.05)
    scores = chance.random((200, 30)).astype(numpy.float32)
    return truth, (predicted > 0).astype(int), scores


def test_set_measures_are_those_of_scikit_learn(made_up):
    truth, predicted, _ = made_up
    found = metrics.evaluate(truth, predicted)
    for name, average in (("micro-F1", "micro"), ("macro-F1", "macro"), ("weighted-F1", "weighted")):
        assert found[name] == pytest.approx(f1_score(truth, predicted, average=average, zero_division=0))
    assert found["documents"] == 200 and "P@1" not in found


def test_ranking_measures_as_defined(made_up):
    truth, _, scores = made_up
    found = metrics.evaluate(truth, scores=scores, ks=(1, 4))
    precision, gain = 0.0, 0.0
    for row, own in zip(truth, scores):
        hits = row[numpy.argsort(-own, kind="stable")[:4]]
        best = sum(1 / math.log2(rank + 2) for rank in range(min(4, row.sum())))
        precision += hits.sum() / 4
        gain += sum(hit / math.log2(rank + 2) for rank, hit in enumerate(hits)) / best if best else 0
    assert found["P@4"] == pytest.approx(precision / 200) and found["nDCG@4"] == pytest.approx(gain / 200)
    assert "micro-F1" not in found and "PSP@1" not in found


def test_propensities_come_from_the_training_matrix(made_up):
    truth, _, scores = made_up
    counts = truth.sum(axis=0)
    by_matrix = metrics.evaluate(truth, scores=scores, train=truth)
    assert by_matrix == metrics.evaluate(truth, scores=scores, train=(counts, 200))
    c = (math.log(200) - 1) * 2.5**0.55
    weight = 1 + c * (counts + 1.5) ** -0.55
    top = scores.argmax(axis=1)
    reached = sum(weight[label] * row[label] for label, row in zip(top, truth))
    best = sum((weight * row).max() for row in truth)
    assert by_matrix["PSP@1"] == pytest.approx(reached / best)


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "coo_matrix", "lil_matrix", "csr_array", "asarray"])
def test_any_matrix_will_do(made_up, kind):
    truth, predicted, scores = made_up
    make = numpy.asarray if kind == "asarray" else getattr(scipy.sparse, kind)
    assert metrics.evaluate(make(truth), make(predicted), make(scores)) == metrics.evaluate(truth, predicted, scores)


def test_arguments_are_left_as_they_were():
    truth = scipy.sparse.csr_matrix((numpy.array([1.0, 0.0]), ([0, 0], [0, 1])), shape=(1, 2))
    metrics.evaluate(truth, truth)
    assert truth.nnz == 2 and truth.data.tolist() == [1.0, 0.0]


def test_agrees_with_the_model(model, corpus):
    texts, labels = corpus
    column = {label.id: place for place, label in enumerate(model.labels)}

    def matrix(rows):
        result = scipy.sparse.lil_matrix((len(rows), len(column)))
        for place, row in enumerate(rows):
            result[place, [column[label] for label in row]] = 1
        return result

    info = model.info()
    found = metrics.evaluate(matrix(labels), matrix([[label.id for label in row] for row in model.predict(texts)]),
                             model.scores(texts),
                             train=([label.training_documents for label in model.labels], info["training_documents"]))
    expected = model.evaluate(texts, labels)
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected)


def test_by_label(made_up):
    truth, predicted, _ = made_up
    found = metrics.by_label(scipy.sparse.csr_matrix(truth), predicted)
    assert found["f1"] == pytest.approx(f1_score(truth, predicted, average=None, zero_division=0))


@pytest.mark.parametrize("arguments, message", [
    (([[1, 0]],), "neither predicted nor scores"), (([[1, 0]], [[1]]), "shape"), (([1, 0], [1, 0]), "1 dimensions"),
    (([["a"]], [["b"]]), "truth is"), (([[1, 0]], None, [[math.nan, 1]]), "not finite"), ((None, [[1]]), "truth"),
    (("text", [[1]]), "truth"),
])
def test_wrong_arguments_are_told(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        metrics.evaluate(*arguments)


def test_wrong_ks_and_training_counts_are_told():
    for more, message in (({"ks": (0,)}, "k of ks"), ({"train": ([1, 2, 3], 5)}, "train counts 3 labels"),
                          ({"train": ([-1, 2], 5)}, "impossible"), ({"train": [[1, 0, 1]]}, "train counts 3"),
                          ({"propensity_a": math.nan}, "propensity_a")):
        with pytest.raises((TypeError, ValueError), match=message):
            metrics.evaluate([[1, 0]], scores=[[0.5, 0.2]], **more)


def test_a_dense_score_of_zero_ranks_above_negative_ones():
    found = metrics.evaluate([[0, 1, 0]], scores=[[-1.0, 0.0, -2.0]], ks=[1, 3])
    assert (found["P@1"], found["R@3"]) == (1, 1)
    stored = scipy.sparse.csr_matrix([[-1.0, 0.0, -2.0]])
    assert metrics.evaluate([[0, 1, 0]], scores=stored, ks=[1])["P@1"] == 0
