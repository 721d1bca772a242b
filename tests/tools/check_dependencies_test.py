"""check_dependencies.py finds what it is there to find, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

from check_dependencies import ROOMS, WITH_TORCH, violations  # noqa: E402


class CheckDependencies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("core/error.h", "#include <string>")
        self.write("model/network.h", "#include <torch/torch.h>", '#include "otseq2set/core/error.h"')
        self.write("evaluation/metrics.h", '#include "otseq2set/core/error.h"')
        self.write("training/trainer.cc", '#include "otseq2set/evaluation/metrics.h"')

    def write(self, name, *lines, namespace=None):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        namespace = namespace or f"namespace otseq2set::inline {path.parent.name} {{"
        path.write_text("\n".join([*lines, namespace, "int f();", "}"]) + "\n", encoding="utf-8")

    def assert_clean(self):
        self.assertEqual(list(violations(self.root)), [])

    def assert_violation(self, *parts):
        found = list(violations(self.root))
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def run_tool(self, *arguments):
        return subprocess.run(
            [sys.executable, "-B", TOOLS / "check_dependencies.py", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_the_program(self):
        result = self.run_tool(self.root)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.write("core/random.h", '#include "otseq2set/model/network.h"')
        result = self.run_tool(self.root)
        self.assertEqual((result.returncode, result.stdout.count("\n")), (1, 1), result.stdout)

    def test_rooms_name_rooms_before_them(self):
        rooms = list(ROOMS)
        for place, room in enumerate(rooms):
            self.assertLessEqual(set(ROOMS[room].split()), set(rooms[:place]), room)

    def test_what_works_without_torch_knows_nobody_who_needs_it(self):
        self.assertEqual(WITH_TORCH, {"autograd", "model", "loss", "training"})
        for room in ROOMS.keys() - WITH_TORCH - {"training_cli"}:
            self.assertFalse(WITH_TORCH & set(ROOMS[room].split()), room)

    def test_the_http_server_knows_nothing_of_what_it_serves(self):
        self.assertEqual(ROOMS["http"].split(), ["core", "text"])

    def test_every_pair_of_rooms(self):
        for target in ROOMS:
            self.write(f"{target}/target.h")
        for room in ROOMS:
            for target in ROOMS:
                self.write(f"{room}/file.cc", f'#include "otseq2set/{target}/target.h"')
                if target == room or target in ROOMS[room].split():
                    self.assert_clean()
                else:
                    self.assert_violation(f"{room}/file.cc:1:", f"otseq2set/{target}/target.h")
            self.write(f"{room}/file.cc")

    def test_torch_in_every_room(self):
        for room in ROOMS:
            self.write(f"{room}/file.cc", "#include <ATen/Parallel.h>")
            if room in WITH_TORCH:
                self.assert_clean()
            else:
                self.assert_violation(f"{room}/file.cc:1:", "ATen/Parallel.h")
            self.write(f"{room}/file.cc")

    def test_spaces_in_an_include(self):
        self.write("core/random.h", "", '#  include  "otseq2set/model/network.h"')
        self.assert_violation("core/random.h:2:", "otseq2set/model/network.h")

    def test_missing_header(self):
        self.write("cli/main.cc", '#include "otseq2set/core/eror.h"')
        self.assert_violation("cli/main.cc:1:", "does not exist")

    def test_own_header_in_angle_brackets(self):
        self.write("cli/main.cc", "#include <otseq2set/core/error.h>")
        self.assert_violation("cli/main.cc:1:", "otseq2set/core/error.h")

    def test_unknown_room(self):
        self.write("helpers/misc.h")
        self.assert_violation("helpers")

    def test_comment_is_no_include(self):
        self.write("core/random.h", '// #include "otseq2set/model/network.h"')
        self.assert_clean()

    def test_namespace_of_another_room(self):
        self.write("model/decoder.h", namespace="namespace otseq2set::inline core {")
        self.assert_violation("model/decoder.h:1:", "otseq2set::inline core")

    def test_namespace_of_no_room(self):
        for namespace in ("namespace otseq2set {", "namespace otseq2set::model {"):
            self.write("model/decoder.h", namespace=namespace)
            self.assert_violation("model/decoder.h:1:", "otseq2set::inline model")

    def test_the_public_interface_belongs_to_no_room(self):
        self.write("inference/model.cc", '#include "otseq2set/model.h"', namespace="namespace otseq2set::inline v1 {")
        self.assert_clean()

    def test_no_namespace(self):
        self.write("model/decoder.h", namespace="namespace {")
        self.assert_violation("model/decoder.h:", "in no namespace")

    def test_directives_alone_need_no_namespace(self):
        text = "// Why.\n#pragma once\n\n  #define TARGETS \\\n  (1 | 2)\n"
        (self.root / "core/targets.h").write_text(text, encoding="utf-8")
        self.assert_clean()

    def test_wrong_usage(self):
        result = self.run_tool()
        self.assertEqual(result.returncode, 2)
        self.assertIn("Usage", result.stdout)


if __name__ == "__main__":
    unittest.main()
