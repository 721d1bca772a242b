"""Model: what it answers, and in which shapes."""

import gc
import pickle
import shutil
import signal
import tracemalloc

import numpy
import pandas
import pytest
import scipy.sparse

import otseq2set


def names(labels):
    return [label.name for label in labels]


def test_one_text_gives_its_labels_and_many_give_a_list_each(model):
    assert names(model.predict("an oak")) == ["trees"]
    assert [names(labels) for labels in model.predict(["an oak", "a cod"])] == [["trees"], ["fish"]]


def test_a_label_has_name_id_and_score(model):
    label = model.predict("an oak in the forest")[0]
    assert (label.name, label.id) == ("trees", "trees") and 0.5 < label.score <= 1
    assert isinstance(label, otseq2set.Label)


def test_labels_may_have_names_for_people(corpus, config, tmp_path):
    texts, labels = corpus
    uris = [[f"urn:{label}" for label in own] for own in labels]
    model = otseq2set.train(texts, uris, tmp_path / "m", preset=None, config={**config, "training.epochs": 1}, progress=False,
                            label_names={"urn:fish": "Fish"})
    assert {(label.name, label.id) for label in model.labels} == {
        ("Fish", "urn:fish"), ("urn:birds", "urn:birds"), ("urn:trees", "urn:trees")}


def test_top_k_ranks_all_labels_and_threshold_cuts(model):
    ranked = model.predict("an oak and a cod", top_k=10)
    assert len(ranked) == 3 and [label.score for label in ranked] == sorted((label.score for label in ranked), reverse=True)
    assert model.predict("an oak and a cod", threshold=ranked[1].score) == ranked[:2]
    assert model.predict("an oak and a cod", top_k=1, threshold=0.0) == ranked[:1]
    assert model.predict("an oak", rule="greedy") and model.predict("an oak", rule="tuned") == model.predict("an oak")


@pytest.mark.parametrize("texts", [
    ("an oak", "a cod"), numpy.array(["an oak", "a cod"]), numpy.array(["an oak", "a cod"], dtype=object),
    pandas.Series(["an oak", "a cod"], index=[7, 3]), pandas.Series(["an oak", "a cod"], dtype="string"),
    (text for text in ["an oak", "a cod"]), {"an oak": 1, "a cod": 2}.keys(), map(str, ["an oak", "a cod"]),
], ids=lambda texts: type(texts).__name__)
def test_texts_are_any_iterable(model, texts):
    assert [names(labels) for labels in model.predict(texts)] == [["trees"], ["fish"]]


def test_a_text_without_words_has_no_labels(model):
    assert model.predict("") == [] and model.predict(["", " ;", "an oak"])[:2] == [[], []]
    assert model.scores(["", "an oak"]).getnnz(axis=1).tolist() == [0, 3]
    assert model.explain(" ").labels == []
    assert model.predict([]) == [] and model.scores([]).shape == (0, 3)


def test_scores_are_a_sparse_matrix_with_the_labels_of_predict(model):
    texts = ["an oak", "a cod in the nest"]
    scores = model.scores(texts, top_k=2)
    assert scipy.sparse.issparse(scores) and scores.format == "csr" and scores.dtype == numpy.float32
    assert scores.shape == (2, 3) and scores.getnnz(axis=1).tolist() == [2, 2] and scores.has_sorted_indices
    column = {label.id: place for place, label in enumerate(model.labels)}
    for row, labels in enumerate(model.predict(texts, top_k=2)):
        for label in labels:
            assert scores[row, column[label.id]] == numpy.float32(label.score)
    assert model.scores(texts, top_k=None).nnz == 6


def test_a_stream_is_answered_bit_by_bit_with_bounded_memory(model):
    """A hundred thousand texts go through, of which never more than some thousands are held."""
    taken = 0

    def texts(count):
        nonlocal taken
        for taken in range(1, count + 1):
            yield "a cod " + "x" * 1000

    answers = model.predict_iter(texts(100_000))
    next(answers)
    assert taken <= 1024
    gc.collect()
    tracemalloc.start()
    assert sum(1 for _ in answers) == 99_999
    assert tracemalloc.get_traced_memory()[1] < 10e6  # all texts are 100 MB
    tracemalloc.stop()


def test_explanations_point_at_characters(model):
    text = "Größe 日本 🐟 oak forest"
    found = model.explain(text, words=3, leave_out=True)
    assert found.words_total == found.words_read == len(found.labels[0].words) + 2 or found.words_read >= 3
    assert found.cut is None and found.labels[0].label == model.predict(text)[0]
    for word in found.labels[0].words:
        assert text[word.begin:word.end] == word.text and isinstance(word.fall, float)
    assert {word.text for word in found.labels[0].words} & {"oak", "forest"}
    assert any(ngram.text in ("oak", "forest", "oak forest") for ngram in found.labels[0].ngrams)


def test_explanations_show_the_marked_text_in_a_notebook(model):
    html = model.explain("an <oak> & a forest")._repr_html_()
    assert "trees" in html and "&lt;" in html and "&amp;" in html and "<oak>" not in html
    assert html.count("background:rgba(232,135,30") >= 2
    assert "no labels" in model.explain("")._repr_html_()


def test_words_behind_the_cut_are_told(model):
    found = model.explain("oak " * 60)
    assert found.words_total == 60 and "oak" in found._repr_html_()


def test_labels_and_info(model):
    assert sorted(label.id for label in model.labels) == ["birds", "fish", "trees"]
    counts = [label.training_documents for label in model.labels]
    assert counts == sorted(counts, reverse=True) and sum(counts) > 216
    info = model.info()
    assert info["labels"] == 3 and info["training_documents"] == 216 and info["settings"]["model.hidden"] == 24
    assert info["settings"]["model.light_conv.kernels"] == [2, 3]
    assert "3 labels" in repr(model)


def test_evaluate_has_every_metric(model, corpus):
    found = model.evaluate(*corpus)
    assert found["documents"] == 240 and found["micro-F1"] > 0.9 and found["P@1"] > 0.9
    assert {"micro-P", "micro-R", "macro-F1", "weighted-F1", "example-F1", "R@3", "nDCG@5", "PSP@1", "PSnDCG@3"} <= set(found)


def test_evaluate_measures_the_sets_that_predict_gives(model, corpus):
    texts, labels = corpus
    for choice in ({}, {"top_k": 1}, {"threshold": 0.3}, {"top_k": 2, "threshold": 0.5}, {"rule": "greedy"}):
        hits = total = 0
        for truth, answer in zip(labels, model.predict(texts, **choice)):
            hits += len(set(truth) & {label.id for label in answer})
            total += len(answer)
        expected = 2 * hits / (total + sum(map(len, labels)))
        assert model.evaluate(texts, labels, **choice)["micro-F1"] == pytest.approx(expected), choice


def test_evaluate_counts_unknown_labels_as_missed(model):
    found = model.evaluate(["an oak"], [["trees", "moss"]])
    assert found["micro-P"] == 1 and found["micro-R"] == 0.5


def test_tune_keeps_the_rule_in_the_folder(folder, corpus, tmp_path):
    import shutil

    place = tmp_path / "tuned"
    shutil.copytree(folder, place)
    model = otseq2set.Model.load(place)
    before = model.info()["set_rule"]
    found = model.tune(*corpus, measure="macro-F1")
    assert "macro-F1" in found and "240 documents" in found
    assert model.info()["set_rule"] == otseq2set.Model.load(place).info()["set_rule"]
    assert found.startswith(model.info()["set_rule"]), before


def test_predictions_become_a_table_in_one_line(model):
    table = pandas.DataFrame({"text": ["an oak", "a cod in the nest"]}, index=["a", "b"])
    frame = otseq2set.to_frame(model.predict(table["text"]), table.index)
    assert list(frame.columns) == ["document", "rank", "name", "id", "score"]
    assert frame[frame.document == "a"].name.tolist() == ["trees"] and frame.score.dtype == float
    table["labels"] = model.predict(table.text)
    assert table.labels["a"][0].name == "trees"
    with pytest.raises(ValueError, match="index has 1"):
        otseq2set.to_frame([[], []], ["a"])


def test_presets_and_settings():
    assert {"cpu_small", "debtags", "eurlex_4k"} <= set(otseq2set.presets())
    values = {setting.key: setting for setting in otseq2set.settings("cpu_small", {"model": {"hidden": 32}})}
    assert values["model.hidden"].value == 32 and "integer" in values["model.hidden"].valid and values["model.hidden"].help
    with pytest.raises(otseq2set.UsageError, match="did you mean 'model.hidden'"):
        otseq2set.settings(config={"model.hiden": 3})
    with pytest.raises(otseq2set.UsageError, match="cpu_small"):
        otseq2set.settings("cpu_smal")


def test_ctrl_c_ends_a_prediction_as_a_keyboard_interrupt(model):
    def interrupt(signum, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                for _ in model.predict_iter("an oak and a cod" for _ in range(10**6)):
                    pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert names(model.predict("an oak")) == ["trees"]


def test_a_relative_folder_is_the_same_after_a_change_of_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    model = otseq2set.Model.load(folder.name)
    monkeypatch.chdir("/")
    assert names(pickle.loads(pickle.dumps(model)).predict("an oak")) == ["trees"]


def test_tune_refuses_a_folder_with_another_model(folder, corpus, tmp_path):
    place = tmp_path / "m"
    shutil.copytree(folder, place)
    model = otseq2set.Model.load(place)
    (place / "labels.jsonl").write_text((place / "labels.jsonl").read_text() + " ")
    with pytest.raises(otseq2set.Error, match="changed since it was loaded"):
        model.tune(*corpus)


def test_the_list_of_labels_is_the_callers_own(model):
    model.labels.clear()
    assert len(model.labels) == 3


def test_what_a_package_has_is_listed():
    assert {"metrics", "OTSeq2SetClassifier", "train"} <= set(dir(otseq2set))
