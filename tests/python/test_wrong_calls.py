"""Two hundred wrong calls at random: each is an exception of Python with a message, none ends the process."""

import math
import os
import random
import subprocess
import sys

import numpy
import pandas
import pytest
import scipy.sparse

import otseq2set

NOT_TEXTS = [
    None, 3, 3.5, math.nan, True, b"bytes", object(), [None], [3], [math.nan], [b"bytes"], ["ok", None], [["nested"]],
    "\ud800", ["\ud800 lone"], ["ok", "\udfff"], ["caf\xe9".encode("latin-1")], ["text".encode("utf-16")],
    bytearray(b"x"), {"a": 1}, pandas.DataFrame({"text": ["a"]}), pandas.Series([1.5, None]), pandas.Series(["a", pandas.NA]),
    numpy.zeros((2, 2)), numpy.array([1.0]), numpy.array([b"x"]), numpy.array(["a", "b"]).reshape(1, 2), print, int, range(2),
    numpy.datetime64("2020-01-01"), complex(1, 2), Exception("x"), memoryview(b"abc"),
]
NOT_COUNTS = [0, -1, 2**70, -(2**70), 1.5, math.nan, math.inf, "3", b"3", [], True, object(), numpy.float64(2), {}]
NOT_THRESHOLDS = [-0.1, 1.1, math.nan, math.inf, -math.inf, "0.5", b"1", [], object(), 10**400, True, complex(0, 1)]
NOT_RULES = ["best", "", 3, b"greedy", [], math.nan, object(), "GREEDY", "greedy\0"]
NOT_LABELS = [None, 3, "fish", b"fish", [3], ["fish"], [b"fish"], [[3]], [[None]], [["\ud800"]], [math.nan], [[]] * 3, {"a": 1},
              [[["fish"]]], [{"fish": 3}, None]]
NOT_FOLDERS = [None, 3, "", "/none\0such", "/no/such/folder", b"/no/such", [], object(), math.nan, "x" * 10_000, "\ud800", True,
               "/dev/null", "/proc/self/mem"]
NOT_CONFIGS = [3, "model.hidden=3", [], {"none": 3}, {3: 3}, {"model.hidden": None}, {"model.hidden": math.nan},
               {"model.hidden": 10**30}, {"model.hidden": object()}, {"model.hidden": [1]}, {"model": {"hidden": -3}},
               {"training.epochs": 0}, {"text.tokenizer": "\ud800"}, {"": 1}, {"model.hidden=3\n": 1}]
NOT_PRESETS = [3, "", "none", b"cpu_small", [], math.nan, "cpu_small\0"]
NOT_MATRICES = [None, 3, "x", [1, 2], [[1], [1, 2]], [["a"]], numpy.zeros((1, 2, 3)), [[math.nan, 1]], [[math.inf, 1]],
                scipy.sparse.csr_matrix((3, 7)), numpy.zeros((0, 2)), [[1, 0, 1]], object(), [[1 + 2j, 0]]]
NOT_THREADS = [-1, 2**31, 10**30, 100_000, 1.5, "2", None, [], math.nan, True]


def calls(model, folder, nowhere):
    """(what, how it is called with something wrong), for something wrong drawn by `draw`."""
    right = [[1, 0]]
    return [
        (NOT_TEXTS, lambda wrong: model.predict(wrong)), (NOT_TEXTS, lambda wrong: list(model.predict_iter(wrong))),
        (NOT_TEXTS, lambda wrong: model.scores(wrong)), (NOT_TEXTS, lambda wrong: model.explain(wrong)),
        (NOT_TEXTS, lambda wrong: model.evaluate(wrong, [["fish"]])), (NOT_TEXTS, lambda wrong: model.tune(wrong, [["fish"]])),
        (NOT_TEXTS, lambda wrong: otseq2set.train(wrong, [["fish"]], nowhere, progress=False)),
        (NOT_LABELS, lambda wrong: model.evaluate(["a cod"], wrong)), (NOT_LABELS, lambda wrong: model.tune(["a cod"], wrong)),
        (NOT_LABELS, lambda wrong: otseq2set.train(["a cod"], wrong, nowhere, progress=False)),
        (NOT_COUNTS, lambda wrong: model.predict("a cod", top_k=wrong)), (NOT_COUNTS, lambda wrong: model.scores(["a"], wrong)),
        (NOT_COUNTS[1:], lambda wrong: model.explain("a cod", words=wrong)),
        (NOT_COUNTS, lambda wrong: model.explain("a cod", leave_out=wrong) if wrong is not True else int("x")),
        (NOT_THRESHOLDS, lambda wrong: model.predict("a cod", threshold=wrong)),
        (NOT_THRESHOLDS, lambda wrong: model.evaluate(["a cod"], [["fish"]], threshold=wrong)),
        (NOT_RULES, lambda wrong: model.predict("a cod", rule=wrong)),
        (NOT_RULES, lambda wrong: model.explain("a cod", top_k=3, rule=wrong)),
        (NOT_RULES, lambda wrong: model.tune(["a cod"], [["fish"]], measure=wrong)),
        (NOT_FOLDERS, lambda wrong: otseq2set.Model.load(wrong)), (NOT_FOLDERS, lambda wrong: otseq2set.weights(wrong)),
        (NOT_FOLDERS[:4], lambda wrong: otseq2set.train(["a"], [["b"]], wrong, progress=False)),
        (NOT_FOLDERS[1:], lambda wrong: otseq2set.train(["a"], [["b"]], nowhere, vectors=wrong, progress=False)),
        (NOT_THREADS, lambda wrong: otseq2set.Model.load(folder, threads=wrong)),
        (NOT_COUNTS, lambda wrong: otseq2set.Model.load(folder, beam=wrong)),
        (NOT_CONFIGS, lambda wrong: otseq2set.settings("cpu_small", wrong)),
        (NOT_CONFIGS, lambda wrong: otseq2set.train(["a"], [["b"]], nowhere, config=wrong, progress=False)),
        (NOT_PRESETS, lambda wrong: otseq2set.settings(wrong)),
        (NOT_MATRICES, lambda wrong: otseq2set.metrics.evaluate(wrong, right)),
        (NOT_MATRICES, lambda wrong: otseq2set.metrics.evaluate(right, scores=wrong)),
        (NOT_MATRICES, lambda wrong: otseq2set.metrics.by_label(right, wrong)),
        (NOT_COUNTS, lambda wrong: otseq2set.metrics.evaluate(right, scores=right, ks=[wrong])),
        ([3, "x", ["a"], ("a",), ([], []), (["a"], ["b"]), (["a"], [["b"], ["c"]])],
         lambda wrong: otseq2set.train(["a"], [["b"]], nowhere, valid=wrong, progress=False)),
        ([3, "print", [], {}], lambda wrong: otseq2set.train(["a"], [["b"]], nowhere, callback=wrong, progress=False)),
        ([3, "x", [], [("a", "b")]], lambda wrong: otseq2set.train(["a"], [["b"]], nowhere, label_names=wrong, progress=False)),
    ]


def call_wrongly(folder, nowhere, count, seed):
    model = otseq2set.Model.load(folder, threads=1)
    expected = model.predict("a cod")
    chance = random.Random(seed)
    for _ in range(count):
        wrongs, call = chance.choice(calls(model, folder, nowhere))
        wrong = chance.choice(wrongs)
        with pytest.raises((TypeError, ValueError, OverflowError, otseq2set.Error)) as caught:
            result = call(wrong)
            print(f"no exception for {wrong!r}: {result!r:.200}")
        message = str(caught.value)
        assert 5 < len(message.strip()) < 11_000 and "incompatible function arguments" not in message, message
        assert model.predict("a cod") == expected
    assert not os.path.exists(nowhere)


def test_two_hundred_random_wrong_calls(folder, tmp_path):
    """In a process of its own, so that a crash is seen as what it is."""
    script = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_wrong_calls; " \
             f"test_wrong_calls.call_wrongly(sys.argv[1], sys.argv[2], 200, 17)"
    result = subprocess.run([sys.executable, "-X", "faulthandler", "-c", script, folder, tmp_path / "nowhere"],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-3000:]}"


def test_messages_name_the_place(model):
    for texts, message in ((["ok", None], r"texts\[1\] is None, but must be a str"), ([math.nan], r"texts\[0\] is nan"),
                           ([b"x"], r"texts\[0\] is of type bytes, .*decode"), (None, "texts is None"),
                           (pandas.DataFrame({"a": ["x"]}), "give one of its columns"),
                           (["ok"] * 2000 + [3], r"texts\[2000\] is of type int"), (["\ud800"], "lone surrogate")):
        with pytest.raises((TypeError, ValueError), match=message):
            model.predict(texts)


def test_huge_and_strange_texts_are_answered(model):
    for text in ("oak " * 2_000_000, "x" * 10_000_000, "\0", "oak\0cod", "\ufeffoak", "a\u0301" * 1000, "\U0010ffff oak", "\n\r\t"):
        assert isinstance(model.predict(text), list)
    assert model.predict("oak\0") and model.predict(["oak"] * 5000)[-1] == model.predict("oak")


def test_a_damaged_folder_is_told(folder, tmp_path):
    import shutil

    for name in ("config.json", "words.txt", "labels.jsonl", "weights.safetensors", "linear.safetensors", "joining.json"):
        place = tmp_path / name
        shutil.copytree(folder, place)
        (place / name).write_bytes((place / name).read_bytes()[:-30] + b"\xff\xfe{{")
        with pytest.raises(otseq2set.Error, match=name):
            otseq2set.Model.load(place)
