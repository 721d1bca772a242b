"""One model in many threads and processes; pickling."""

import copy
import gc
import multiprocessing
import pathlib
import pickle
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import joblib
import pytest

import otseq2set

TEXTS = ["an oak", "a cod in the nest", "", "the trawler and the forest", "sparrow"] * 20


def own_folders():
    return set(pathlib.Path(tempfile.gettempdir()).glob("otseq2set-*"))


def test_a_pickled_model_answers_the_same_without_its_folder(folder, tmp_path):
    import shutil

    place = tmp_path / "moved"
    shutil.copytree(folder, place)
    model = otseq2set.Model.load(place)
    expected = model.predict(TEXTS)
    data = pickle.dumps(model)
    shutil.rmtree(place)
    again = pickle.loads(data)
    assert again.predict(TEXTS) == expected
    assert pickle.loads(pickle.dumps(copy.deepcopy(again))).predict(TEXTS) == expected
    with pytest.raises(otseq2set.Error, match="gone or have changed"):
        pickle.dumps(model)


def test_a_pickled_model_still_vouches_for_its_files(model, program):
    again = pickle.loads(pickle.dumps(model))
    assert "are as they were written" in program("check", "--model", again.folder)
    weights = pathlib.Path(again.folder) / "weights.safetensors"
    data = bytearray(weights.read_bytes())
    data[-2] ^= 1
    weights.write_bytes(data)
    with pytest.raises(otseq2set.Error, match="weights.safetensors: damaged"):
        otseq2set.Model.load(again.folder)


def test_folders_of_unpickled_models_are_removed_with_them(model):
    before = own_folders()
    again = pickle.loads(pickle.dumps(model))
    assert len(own_folders() - before) == 1
    del again
    gc.collect()
    assert own_folders() == before


def test_one_model_serves_many_threads(model):
    expected = model.predict(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        assert all(answer == expected for answer in pool.map(lambda _: model.predict(TEXTS), range(20)))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(model, method):
    """With fork too, although this process has used the threads of OpenMP, which the child then lacks."""
    expected = model.predict(TEXTS)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(model.predict, [TEXTS] * 4) == [expected] * 4


def test_a_pool_of_processes_that_inherit_the_model(model):
    expected = model.predict(TEXTS)
    global inherited
    inherited = model
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(_ask_inherited, range(4))) == [expected] * 4


def _ask_inherited(_):
    return inherited.predict(TEXTS)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib(model, backend):
    expected = model.predict(TEXTS)
    with joblib.parallel_backend(backend):
        assert joblib.Parallel(n_jobs=2)(joblib.delayed(model.predict)(TEXTS) for _ in range(3)) == [expected] * 3


def test_training_in_a_process_forked_from_one_that_predicts(folder, tmp_path):
    """After a training of its own, LibTorch 2 would refuse; so the process that forks is one that has only predicted."""
    script = tmp_path / "script.py"
    script.write_text(f"""
import multiprocessing, sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import otseq2set
from conftest import CONFIG, small_corpus

def train(place):
    documents = list(small_corpus(240))
    otseq2set.train([text for _, text in documents], [labels for labels, _ in documents], place, preset=None, config=CONFIG,
                    progress=False)

otseq2set.Model.load({str(folder)!r}).predict(["an oak"] * 100)
with multiprocessing.get_context("fork").Pool(1) as pool:
    pool.apply(train, [{str(tmp_path / "m")!r}])
""")
    subprocess.run([sys.executable, script], check=True, timeout=300)
    assert (tmp_path / "m/weights.safetensors").read_bytes() == (folder / "weights.safetensors").read_bytes()
