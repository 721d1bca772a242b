"""Installs a build, and uses what was installed as a stranger would: the examples, the whole public interface, the
program. Usage: embed_test.py BUILD_FOLDER"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from small_corpus import small_corpus

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # tests run side by side
SETTINGS = ["model.hidden=24", "model.word_embedding=16", "model.label_embedding=16", "model.encoder_layers=1",
            "model.max_words=50", "model.light_conv.kernels=2,3", "training.epochs=4", "training.batch=16",
            "training.learning_rate=0.01"]


def run(*command, **more):
    result = subprocess.run([str(part) for part in command], env=ENVIRONMENT, capture_output=True, text=True,
                            check=False, **more)
    if result.returncode != 0:
        raise AssertionError(f"{command}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder_object = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder_object.cleanup)
        cls.folder = pathlib.Path(cls.folder_object.name)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.program = cls.prefix / "bin/otseq2set"
        cls.libraries = sorted(cls.prefix.glob("lib/**/*.so.0.2"))
        cls.corpus = list(small_corpus(240))
        cls.data = cls.folder / "data.jsonl"
        cls.data.write_text("".join(json.dumps({"text": text, "labels": labels}) + "\n" for labels, text in cls.corpus))
        cls.model = cls.folder / "model"
        run(cls.program, "train", "--data", cls.data, "--model", cls.model, "--preset", "cpu_small",
            *[part for value in SETTINGS for part in ("--set", value)])
        cls.examples = cls.build(SOURCE / "examples/embed", "examples")

    @classmethod
    def build(cls, source, name):
        folder = cls.folder / name
        run("cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={cls.prefix}",
            "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", folder)
        return folder

    def test_example_answers_as_the_program(self):
        texts = ["a cod in the nest", "oak", "the trawler and the forest", "", "sparrow sparrow"]
        answers = run(self.examples / "suggest", self.model, input="".join(text + "\n" for text in texts)).split("\n")
        questions = "".join(json.dumps({"text": text}) + "\n" for text in texts if text)
        predicted = iter(run(self.program, "predict", "--model", self.model, input=questions).splitlines())
        for text, answer in zip(texts, answers):
            labels = dict(part.split("=") for part in answer.split("\t") if part)
            expected = json.loads(next(predicted))["labels"] if text else []
            self.assertEqual(list(labels), [label["label"] for label in expected], text)
            for label in expected:
                self.assertAlmostEqual(float(labels[label["label"]]), label["score"], places=5)
        self.assertTrue(answers[0])

    def test_example_learns_the_same_bytes_from_memory(self):
        lines = self.folder / "data.tsv"
        lines.write_text("".join(",".join(labels) + "\t" + text + "\n" for labels, text in self.corpus))
        learnt = self.folder / "learnt"
        run(self.examples / "learn", lines, learnt, *SETTINGS)
        for name in ("weights.safetensors", "config.json", "labels.jsonl", "words.txt", "set_rule.json"):
            self.assertEqual((learnt / name).read_bytes(), (self.model / name).read_bytes(), name)

    def test_example_reports_errors(self):
        result = subprocess.run([self.examples / "suggest", self.folder / "none"], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^error: .*none.*\n$")

    def test_whole_interface(self):
        (self.folder / "models").mkdir()
        run(self.build(SOURCE / "tests/packaging/interface", "interface") / "interface", self.folder / "models")

    def test_headers_are_our_own(self):
        for header in self.prefix.glob("include/**/*.h"):
            for name in re.findall(r"#include (\S+)", header.read_text()):
                self.assertRegex(name, r'^(<[a-z_]+>|"otseq2set/[a-z]+\.h")$', str(header))

    def test_libraries_export_the_interface_alone(self):
        self.assertEqual([library.name for library in self.libraries], ["libotseq2set-training.so.0.2", "libotseq2set.so.0.2"])
        own = re.compile(r"(typeinfo (name )?for |vtable for )?otseq2set::v1::")
        for library in self.libraries:
            names = [line[19:] for line in run("nm", "-DC", "--defined-only", library).splitlines()]
            self.assertTrue(names)
            self.assertEqual([name for name in names if not own.match(name)], [])
        symbols = run("nm", "-DC", "--defined-only", self.libraries[1])
        self.assertIn("otseq2set::v1::Model::load", symbols)
        self.assertNotIn("Loaded", symbols)

    def test_only_training_needs_libtorch(self):
        for file in [self.program, self.libraries[1]]:
            self.assertNotRegex(run("ldd", file), "torch|blas")
        self.assertRegex(run("ldd", self.libraries[0]), "torch")

    def test_no_paths_of_the_build(self):
        for file in [self.program, self.prefix / "libexec/otseq2set/otseq2set-train", *self.libraries]:
            paths = re.findall(r"\((RPATH|RUNPATH)\).*\[(.*)\]", run("readelf", "-d", file))
            allowed = [("RPATH", r".*/openblas-openmp")] if "train" in file.name else []
            self.assertEqual(len(paths), len(allowed), f"{file}: {paths}")
            for (kind, path), (allowed_kind, pattern) in zip(paths, allowed):
                self.assertEqual(kind, allowed_kind)
                self.assertRegex(path, f"^{pattern}$")

    def test_pkg_config(self):
        folder = next(self.prefix.glob("lib/**/pkgconfig"))
        for name, source in (("otseq2set", "suggest"), ("otseq2set-training", "learn")):
            flags = subprocess.run(["pkg-config", "--cflags", "--libs", name], capture_output=True, text=True,
                                   check=True, env={**ENVIRONMENT, "PKG_CONFIG_PATH": str(folder)}).stdout.split()
            run("c++", "-std=c++20", SOURCE / f"examples/embed/{source}.cc", "-o", self.folder / source, *flags)


if __name__ == "__main__":
    unittest.main(verbosity=2)
