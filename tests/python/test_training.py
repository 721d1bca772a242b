"""train: settings, callbacks, interruption and resumption."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import textwrap

import numpy
import pytest

import otseq2set


def test_callback_hears_of_every_batch(corpus, config, tmp_path):
    heard = []
    model = otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, callback=heard.append, progress=False)
    assert isinstance(model, otseq2set.Model) and len(heard) == 4 * 14  # 216 documents in batches of 16
    assert isinstance(heard[0], otseq2set.Progress) and heard[0].epoch == 1 and heard[-1].epoch == heard[-1].epochs == 4
    assert heard[-1].documents_done == heard[-1].documents_total == 216 * 4 and heard[-1].loss < heard[0].loss


def test_callback_stops_and_resume_ends_with_the_same_bytes(corpus, config, folder, tmp_path):
    heard = []

    def stop(progress):
        heard.append(progress)
        return len(heard) == 20

    with pytest.raises(otseq2set.Interrupted):
        otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, callback=stop, progress=False)
    assert len(heard) == 20
    with pytest.raises(otseq2set.Error, match="resume=True"):
        otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, progress=False)
    otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, resume=True, progress=False)
    assert (tmp_path / "m/weights.safetensors").read_bytes() == (folder / "weights.safetensors").read_bytes()


def test_an_error_in_a_callback_comes_out_and_the_checkpoint_stays(corpus, config, tmp_path):
    class Own(Exception):
        pass

    def fail(progress):
        raise Own("mine")

    with pytest.raises(Own, match="mine"):
        otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, callback=fail, progress=False)
    assert (tmp_path / "m/training_state.safetensors").exists()


def test_keyboard_interrupt_saves_and_says_how_to_go_on(corpus, config, folder, tmp_path):
    def interrupt(progress):
        if progress.documents_done == 5 * 16:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background, shells have it ignored
    with pytest.raises(KeyboardInterrupt, match="resume=True"):
        otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, callback=interrupt, progress=False)
    signal.signal(signal.SIGINT, before)
    otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, resume=True, progress=False)
    assert (tmp_path / "m/weights.safetensors").read_bytes() == (folder / "weights.safetensors").read_bytes()


def test_other_threads_go_on_while_training(corpus, config, tmp_path):
    turns, done = 0, threading.Event()

    def count():
        nonlocal turns
        while not done.wait(0.001):
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, progress=False)
    done.set()
    thread.join()
    assert turns > 20


def test_wrong_settings_name_the_key(corpus, tmp_path):
    for config, message in (({"model.hiden": 3}, "did you mean 'model.hidden'"), ({"model.hidden": -1}, "model.hidden"),
                            ({"model.hidden": "many"}, "model.hidden"), ({"training.epochs": None}, "training.epochs")):
        with pytest.raises((otseq2set.UsageError, TypeError), match=message):
            otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, progress=False)
    assert not (tmp_path / "m").exists()


def test_wrong_documents_name_the_place(corpus, config, tmp_path):
    texts, labels = corpus
    for wrong_texts, wrong_labels, message in (
            ([*texts[:4], " "], labels[:5], r"texts\[4\]: the document has no text"),
            ([*texts[:4], None], labels[:5], r"texts\[4\] is None, but must be a str"),
            (texts, labels[:-1], "there are 240 texts, but 239 labels"), ([], [], "there are no texts"),
            (texts[:2], [["a"], "b"], r"labels\[1\] is of type str, but must be a list"),
            (texts[:2], [["a"], ["b", 3]], r"labels\[1\]\[1\] is of type int, but must be a str"),
            (texts[:2], [["a"], None], r"labels\[1\] is None, but must be a list"),
            (texts[:2], [["a"], ["\udc80"]], r"labels\[1\]\[0\] has a lone surrogate")):
        with pytest.raises((otseq2set.Error, TypeError, ValueError), match=message):
            otseq2set.train(wrong_texts, wrong_labels, tmp_path / "m", preset=None, config=config, progress=False)


SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import otseq2set
from conftest import CONFIG, small_corpus
documents = list(small_corpus(240))
otseq2set.train([text for _, text in documents], [labels for labels, _ in documents], sys.argv[1], preset=None, config=CONFIG)
"""


def test_a_log_gets_lines_and_a_terminal_a_bar(tmp_path):
    import pty

    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(tests=str(pathlib.Path(__file__).parent)))
    result = subprocess.run([sys.executable, script, tmp_path / "a"], capture_output=True, text=True, check=True)
    assert "216 documents to train on, 24 to validate; 3 labels" in result.stderr and "\r" not in result.stderr
    parent, child = pty.openpty()
    subprocess.run([sys.executable, script, tmp_path / "b"], stderr=child, check=True)
    os.close(child)
    shown = os.read(parent, 1 << 20).decode()
    assert "[" in shown and "epoch 1/4" in shown and "documents/s" in shown


def test_prediction_needs_no_libtorch_and_training_says_what_is_missing(folder, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent("""
        import sys
        import otseq2set
        model = otseq2set.Model.load(sys.argv[1])
        assert model.predict("an oak")
        assert "torch" not in open("/proc/self/maps").read()
        sys.modules["otseq2set._training"] = None
        try:
            otseq2set.train(["a"], [["b"]], "nowhere")
        except otseq2set.Error as error:
            print(error)
    """))
    said = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=True).stdout
    assert said.startswith("training is not installed (") and "otseq2set-training" in said and said.count("\n") == 1


@pytest.mark.parametrize("name", [None, float("nan"), 3, b"x"])
def test_names_of_labels_that_are_no_text_are_refused(corpus, config, tmp_path, name):
    with pytest.raises(TypeError, match=r"label_names\['fish'\] is .*, but must be a str"):
        otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, label_names={"fish": name}, progress=False)


def test_a_true_value_of_numpy_stops_too(corpus, config, tmp_path):
    with pytest.raises(otseq2set.Interrupted, match="stopped by the callback; .*resume=True"):
        otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, callback=lambda now: numpy.bool_(True),
                        progress=False)


def test_to_resume_and_to_overwrite_is_a_contradiction(corpus, config, tmp_path):
    with pytest.raises(otseq2set.UsageError, match="together"):
        otseq2set.train(*corpus, tmp_path / "m", preset=None, config=config, resume=True, overwrite=True, progress=False)


def test_a_bar_is_no_wider_than_the_terminal(monkeypatch, capsys):
    from otseq2set.progress import Terminal

    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    bar = Terminal()
    bar.progress(otseq2set.Progress(1, 10, 5, 100, 1.5, 1.0, 0.25, 0.001, 123.0, 456.0))
    written = capsys.readouterr().err.replace("\r\033[K", "")
    assert 40 < len(written) <= 59
