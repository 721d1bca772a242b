"""The wheel that pip makes, in a virtual environment of its own: it brings its libraries along, and nothing of the build."""

import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

BUILD = pathlib.Path(os.environ["OTSEQ2SET_PROGRAM"]).parent
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **more):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                            env={**environment, **more})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", folder,
        SOURCE / "python", OTSEQ2SET_BUILD=str(BUILD))
    return next(folder.glob("*.whl"))


def test_wheel_has_modules_libraries_stubs_and_the_mark_of_types(wheel):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("otseq2set/")]
    version = f"{sys.version_info.major}{sys.version_info.minor}"
    assert f"cp{version}" in wheel.name
    for pattern in (rf"_core\.cpython-{version}.*\.so", rf"_training\.cpython-{version}.*\.so", r"libotseq2set\.so\.0\.2",
                    r"libotseq2set-training\.so\.0\.2", r"py\.typed", r"_core\.pyi", r"_training\.pyi", r"model\.py"):
        assert any(re.fullmatch(f"otseq2set/{pattern}", name) for name in names), pattern


def test_installed_wheel_predicts_and_trains(wheel, folder, tmp_path):
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    run(python, "-m", "pip", "install", "--no-deps", "--no-index", wheel)
    said = run(python, "-I", "-c", f"""
import otseq2set
print(otseq2set.__file__)
print(otseq2set.Model.load({str(folder)!r}).predict("an oak")[0].name)
from otseq2set import _training
print(*{{line.split()[-1] for line in open("/proc/self/maps") if "libotseq2set" in line}})
""").splitlines()
    assert said[0].startswith(str(tmp_path)) and said[1] == "trees"
    assert len(said[2].split()) == 2 and all(path.startswith(str(tmp_path)) for path in said[2].split())
