"""Ten thousand calls leave no memory behind."""

import gc
import os

import pytest

import otseq2set


def resident_kb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def wrong(call):
    with pytest.raises(Exception):
        call()


def calls(model, folder):
    return {
        "predict": lambda: model.predict(["an oak", "a cod in the nest"], top_k=3),
        "scores": lambda: model.scores(["an oak", "a cod"], top_k=2),
        "explain": lambda: model.explain("an oak in the forest", words=3),
        "info": lambda: (model.info(), model.labels),
        "wrong text": lambda: wrong(lambda: model.predict(["an oak", None])),
        "wrong choice": lambda: wrong(lambda: model.predict("an oak", rule="best")),
        "settings": lambda: wrong(lambda: otseq2set.settings(config={"model.hiden": 3})),
    }


@pytest.mark.parametrize("name", ["predict", "scores", "explain", "info", "wrong text", "wrong choice", "settings"])
def test_ten_thousand_calls(folder, name):
    model = otseq2set.Model.load(folder, threads=1)
    call = calls(model, folder)[name]
    for _ in range(1000):  # what is made at first, and the allocator's reserve
        call()
    gc.collect()
    before = resident_kb()
    for _ in range(10_000):
        call()
    gc.collect()
    assert resident_kb() - before < 1000  # 100 bytes a call would be seen


def test_loading_and_evaluating(folder, corpus):
    texts, labels = corpus[0][:5], corpus[1][:5]

    def load():
        otseq2set.Model.load(folder, threads=1).evaluate(texts, labels)
        otseq2set.weights(folder)

    for _ in range(100):
        load()
    gc.collect()
    before = resident_kb()
    for _ in range(300):
        load()
    gc.collect()
    assert resident_kb() - before < 1000
