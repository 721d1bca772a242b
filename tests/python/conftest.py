"""A small model that all tests share; made of documents that a network learns in seconds."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import otseq2set

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/packaging"))

from small_corpus import small_corpus  # noqa: E402

CONFIG = {
    "model.hidden": 24, "model.word_embedding": 16, "model.label_embedding": 16, "model.encoder_layers": 1,
    "model.max_words": 50, "model.light_conv.kernels": [2, 3], "training.epochs": 4, "training.batch": 16,
    "training.learning_rate": 0.01, "linear.hybrid": True,
}


@pytest.fixture(scope="session")
def corpus():
    """Texts, labels."""
    documents = list(small_corpus(240))
    return [text for _, text in documents], [labels for labels, _ in documents]


@pytest.fixture(scope="session")
def config():
    return dict(CONFIG)


@pytest.fixture(scope="session")
def folder(corpus, config, tmp_path_factory):
    place = tmp_path_factory.mktemp("model")
    otseq2set.train(*corpus, place, preset=None, config=config, progress=False)
    return place


@pytest.fixture()
def model(folder):
    return otseq2set.Model.load(folder)


@pytest.fixture(scope="session")
def program():
    """Runs the program: run("predict", "--model", folder, input=...) returns its standard output."""

    def run(*arguments, **more):
        result = subprocess.run([os.environ["OTSEQ2SET_PROGRAM"], *map(str, arguments)], capture_output=True, text=True,
                                check=False, **more)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.fixture(scope="session")
def data_file(corpus, tmp_path_factory):
    """The documents as the program reads them."""
    file = tmp_path_factory.mktemp("data") / "documents.jsonl"
    file.write_text("".join(json.dumps({"text": text, "labels": labels}) + "\n" for text, labels in zip(*corpus)))
    return file
