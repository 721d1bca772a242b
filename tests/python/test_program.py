"""Python and the program are one: the same scores to the last digit, the same bytes from training."""

import json
import random
from decimal import Decimal

import pytest

import otseq2set

WORDS = "cod trawler sparrow nest oak forest the of and Größe 日本 unknown naïve".split()
FILES = ("weights.safetensors", "linear.safetensors", "config.json", "labels.jsonl", "words.txt", "set_rule.json",
         "joining.json")


def texts():
    chance = random.Random(3)
    return [" ".join(chance.choices(WORDS, k=chance.randint(1, 40))) for _ in range(300)]


@pytest.mark.parametrize("options, choice", [
    ([], {}), (["--top-k", 3], {"top_k": 3}), (["--threshold", 0.25], {"threshold": 0.25}),
    (["--rule", "greedy"], {"rule": "greedy"}),
])
def test_same_sets_and_scores_to_the_last_digit_printed(program, folder, options, choice):
    questions = "".join(json.dumps({"text": text}) + "\n" for text in texts())
    printed = program("predict", "--model", folder, *options, input=questions).splitlines()
    answers = otseq2set.Model.load(folder).predict(texts(), **choice)
    assert len(printed) == len(answers) == 300
    for line, labels in zip(printed, answers):
        # The digits as they are printed, by both, before any parser rounds them.
        theirs = json.loads(line, parse_float=Decimal, parse_int=Decimal)["labels"]
        assert [(label["label"], label["score"]) for label in theirs] == [
            (label.id, Decimal(repr(label.score))) for label in labels]


def test_a_quantised_model_is_like_any_other(program, folder, data_file, corpus, tmp_path):
    small = tmp_path / "small"
    program("quantize", "--model", folder, "--out", small, "--data", data_file)
    program("eval", "--model", small, "--data", data_file, "--metrics-file", tmp_path / "metrics.json")
    assert otseq2set.Model.load(small).evaluate(*corpus) == json.loads((tmp_path / "metrics.json").read_text())


def test_same_metrics(program, folder, data_file, corpus, tmp_path):
    program("eval", "--model", folder, "--data", data_file, "--metrics-file", tmp_path / "metrics.json")
    assert otseq2set.Model.load(folder).evaluate(*corpus) == json.loads((tmp_path / "metrics.json").read_text())


def test_same_explanations(program, folder):
    text = "Größe of an oak and a trawler"
    line = json.loads(program("explain", "--model", folder, input=json.dumps({"text": text}) + "\n"))
    found = otseq2set.Model.load(folder).explain(text)
    for mine, theirs in zip(found.labels, line["labels"]):
        assert (mine.label.id, mine.label.score) == (theirs["label"], theirs["score"])
        assert [word.text for word in mine.words] == [word["word"] for word in theirs["words"]]


def test_settings_that_suit_the_texts_are_the_same(program, corpus, data_file, tmp_path):
    program("train", "--data", data_file, "--model", tmp_path / "program", "--hours", "0.0001")
    otseq2set.train(*corpus, tmp_path / "python", hours=0.0001, progress=False)
    for name in FILES:
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name


@pytest.mark.parametrize("seed", [1, 7])
def test_training_gives_the_same_bytes(program, corpus, config, data_file, tmp_path, seed):
    settings = {**config, "training.epochs": 2, "training.seed": seed}
    program("train", "--data", data_file, "--model", tmp_path / "program", "--preset", "cpu_small",
            *[part for key, value in settings.items() for part in ("--set", f"{key}={json.dumps(value)}")])
    otseq2set.train(*corpus, tmp_path / "python", preset="cpu_small", config=settings, progress=False)
    for name in FILES:
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name


def test_validation_texts_give_the_same_bytes(program, corpus, config, data_file, tmp_path):
    settings = {**config, "training.epochs": 1, "linear.hybrid": False}
    program("train", "--data", data_file, "--valid", data_file, "--model", tmp_path / "program", "--preset", "paper",
            *[part for key, value in settings.items() for part in ("--set", f"{key}={json.dumps(value)}")])
    otseq2set.train(*corpus, tmp_path / "python", preset=None, config=settings, valid=corpus, progress=False)
    for name in ("weights.safetensors", "config.json", "set_rule.json"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name
