"""examples/tour.ipynb runs from its first cell to its last, on a small CSV file of the test's own."""

import csv
import pathlib
import random
import sys

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from nbconvert.preprocessors import ExecutePreprocessor

TOUR = pathlib.Path(__file__).resolve().parents[2] / "examples/tour.ipynb"
PARAMETERS = """
csv, folder, preset, documents = "packages.csv", "model", None, 1000
config = {"model.hidden": 24, "model.word_embedding": 16, "model.label_embedding": 16, "model.encoder_layers": 1,
          "model.max_words": 50, "model.light_conv.kernels": [2, 3], "training.epochs": 2, "training.batch": 16,
          "training.learning_rate": 0.01, "linear.hybrid": True}
"""


def write_csv(file):
    """Thirty labels, some frequent and some rare, each with a word that tells it."""
    chance = random.Random(2)
    with open(file, "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "text", "labels"])
        for number in range(400):
            labels = sorted({int(30 * chance.random() ** 3) for _ in range(chance.randint(1, 4))})
            words = [f"word{label}" for label in labels] + chance.choices(["the", "of", "a"], k=4)
            rows.writerow([number, " ".join(words), " ".join(f"label{label}" for label in labels)])


def python_kernel():
    """The interpreter that runs this, whatever kernels the system has."""
    manager = KernelManager(kernel_name="python3")
    manager._kernel_spec = KernelSpecManager().kernel_spec_class(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], display_name="Python 3", language="python")
    return manager


def test_tour_runs_and_shows_figures(tmp_path):
    write_csv(tmp_path / "packages.csv")
    notebook = nbformat.read(TOUR, as_version=4)
    next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])).source = PARAMETERS
    ExecutePreprocessor(timeout=300).preprocess(notebook, {"metadata": {"path": str(tmp_path)}}, km=python_kernel())
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert kinds.count("image/png") == 5
    shown = "".join(str(output.get("data", {}).get("text/html", "")) for output in outputs)
    assert "<details open" in shown and "micro-F1" in shown and "label0" in shown
    assert not [output for output in outputs if output.output_type == "error"]


def test_tour_is_kept_with_its_figures():
    outputs = [output for cell in nbformat.read(TOUR, as_version=4).cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 5
