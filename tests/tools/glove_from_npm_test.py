#!/usr/bin/env python3
"""Tests tools/glove_from_npm.py on a small package of the same layout."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "glove_from_npm.py"


def package(vectors, size=None):
    """The text of a package; vectors are {word: "v1,v2,norm,place"}, written as they are."""
    words = json.dumps(list(vectors))
    entries = ",".join(f"{json.dumps(word)}:[{numbers}]" for word, numbers in vectors.items())
    return (
        f'{{"precision":8,"l2NormIndex":2,"wordIndex":3,"size":{len(vectors) if size is None else size},'
        f'"dimensions":2,"words":{words},"vectors":{{{entries}}},"unkVector":[0,0,0,-1]}}'
    )


class GloveFromNpm(unittest.TestCase):
    def convert(self, text):
        """Returns exit code, standard error and the file that was made, if any."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "package.json").write_text(text, encoding="utf-8")
            command = [sys.executable, "-B", TOOL, folder / "package.json", folder / "out.txt"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            left = sorted(path.name for path in folder.iterdir() if path.name != "package.json")
            made = (folder / "out.txt").read_text(encoding="utf-8") if left == ["out.txt"] else None
            return done.returncode, done.stderr, made

    def test_numbers_as_written_in_the_order_of_places(self):
        vectors = {"7": "-0.50,1e-3,9.9,2", "the": "0.038194,-2,9.9,0", 'a"\\é[': "1,2,9.9,1"}
        code, error, made = self.convert(package(vectors))
        self.assertEqual((code, error), (0, ""))
        self.assertEqual(made, 'the 0.038194 -2\na"\\é[ 1 2\n7 -0.50 1e-3\n')

    def test_other_layouts_are_errors_that_leave_nothing(self):
        for text, reason in (
            ("{}", "another layout"),
            (package({"a": "1,2,9.9,0"}, size=2), "1 of 2 words have no vector"),
            (package({"a": "1,2,0"}), "a has 3 numbers"),
        ):
            code, error, made = self.convert(text)
            self.assertEqual(code, 1)
            self.assertIn(reason, error)
            self.assertIsNone(made)


if __name__ == "__main__":
    unittest.main()
