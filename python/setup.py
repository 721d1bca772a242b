"""Builds the wheel with CMake: pip wheel --no-build-isolation python/

The environment variable OTSEQ2SET_BUILD names a folder in which CMake has built already; without it everything is built
in a folder of setuptools' own. -DOTSEQ2SET_TRAINING=OFF in OTSEQ2SET_CMAKE leaves out what needs LibTorch.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).resolve().parent.parent


class CMakeBuild(build_ext):
    """The modules, and the libraries that they need, beside the package's files."""

    def run(self):
        folder = os.environ.get("OTSEQ2SET_BUILD") or self.build_with_cmake()
        place = SOURCE / "python" if self.inplace else pathlib.Path(self.build_lib).resolve()
        subprocess.run(["cmake", "--install", folder, "--component", "wheel", "--prefix", place], check=True,
                       stdout=subprocess.DEVNULL)

    def build_with_cmake(self):
        folder = pathlib.Path(self.build_temp).resolve() / "cmake"
        options = ["-DOTSEQ2SET_TESTS=OFF", "-DOTSEQ2SET_BENCH=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
        options += shlex.split(os.environ.get("OTSEQ2SET_CMAKE", ""))
        subprocess.run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder, *options], check=True)
        targets = ["otseq2set_python_core"]
        if "-DOTSEQ2SET_TRAINING=OFF" not in options:
            targets.append("otseq2set_python_training")
        subprocess.run(["cmake", "--build", folder, "--target", *targets], check=True)
        return folder


# Beside what CMake has built, so that releases of Debian that share the checkout do not share this.
options = {}
if "OTSEQ2SET_BUILD" in os.environ:
    work = pathlib.Path(os.environ["OTSEQ2SET_BUILD"]) / "wheel_work"
    work.mkdir(exist_ok=True)
    options = {"build": {"build_base": str(work)}, "egg_info": {"egg_base": str(work)}}
version = re.search(r"^project\(otseq2set VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
setup(version=version, packages=["otseq2set"], package_data={"otseq2set": ["py.typed", "*.pyi"]},
      ext_modules=[Extension("otseq2set._core", [])], cmdclass={"build_ext": CMakeBuild}, options=options)
