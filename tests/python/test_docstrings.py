"""The examples in the docstrings give what they say; nothing public lacks a docstring, and no stub a name."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import otseq2set

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = sorted(module.name for module in pkgutil.iter_modules(otseq2set.__path__) if not module.name.startswith("_"))


@pytest.mark.parametrize("name", ["__init__", *MODULES])
def test_examples_of(name, corpus, config, folder, tmp_path):
    import shutil

    module = otseq2set if name == "__init__" else importlib.import_module(f"otseq2set.{name}")
    place = tmp_path / "model"
    shutil.copytree(folder, place)
    texts, labels = corpus
    known = {"texts": texts, "labels": labels, "config": config, "model": otseq2set.Model.load(place), "folder": place}
    if name == "training":  # the short call there shall not train the paper's network
        known["train"] = lambda *arguments, **more: otseq2set.train(
            *arguments, **{**more, "config": {**config, **more.get("config", {})}, "progress": False, "overwrite": True})
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__, globs={**vars(module), **known}):
        runner.run(test)
    assert runner.failures == 0


def test_public_names_have_docstrings():
    for name in otseq2set.__all__:
        assert getattr(otseq2set, name).__doc__, name
    for name, member in vars(otseq2set.Model).items():
        assert name.startswith("_") or getattr(otseq2set.Model, name).__doc__, name


def test_stubs_have_what_the_modules_have():
    package = pathlib.Path(otseq2set.__file__).resolve().parent
    for name in ("_core", "_training"):
        module = importlib.import_module(f"otseq2set.{name}")
        stub = (package / f"{name}.pyi").read_text()
        declared = set(re.findall(r"^(?:def|class) (\w+)", stub, re.MULTILINE))
        assert declared == {name for name in vars(module) if not name.startswith("_")}
    methods = set(re.findall(r"^    def (\w+)", (package / "_core.pyi").read_text(), re.MULTILINE)) - {"__init__"}
    assert methods == {name for name in vars(otseq2set._core.Model) if not name.startswith("_")}
