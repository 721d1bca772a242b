"""check_dependencies.py finds what it is there to find, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_dependencies.py"


class CheckDependencies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("core/error.h", "#include <string>\n")
        self.write("model/network.h", '#include <torch/torch.h>\n#include "otseq2set/core/error.h"\n')
        self.write("evaluation/metrics.h", '#include "otseq2set/core/error.h"\n')
        self.write("training/trainer.cc", '#include "otseq2set/evaluation/metrics.h"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self):
        return subprocess.run(
            [sys.executable, TOOL, self.root], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def assert_violation(self, *parts):
        result = self.check()
        self.assertEqual(result.returncode, 1, result.stdout)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)
        for part in parts:
            self.assertIn(part, lines[0])

    def test_clean_tree(self):
        result = self.check()
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_upward_include(self):
        self.write("core/random.h", '\n#include "otseq2set/model/network.h"\n')
        self.assert_violation("core/random.h:2:", "otseq2set/model/network.h")

    def test_upward_include_of_neighbour(self):
        self.write("training/trainer.h", "")
        self.write("loss/set_loss.cc", '#  include  "otseq2set/training/trainer.h"\n')
        self.assert_violation("loss/set_loss.cc:1:", "otseq2set/training/trainer.h")

    def test_evaluation_depends_on_core_alone(self):
        self.write("config/config.h", "")
        self.write("evaluation/table.cc", '#include "otseq2set/config/config.h"\n')
        self.assert_violation("evaluation/table.cc:1:", "otseq2set/config/config.h")

    def test_model_does_not_use_evaluation(self):
        self.write("model/network.cc", '#include "otseq2set/evaluation/metrics.h"\n')
        self.assert_violation("model/network.cc:1:", "otseq2set/evaluation/metrics.h")

    def test_report_stands_aside(self):
        self.write("report/results.h", '#include "otseq2set/evaluation/metrics.h"\n')
        self.write("cli/reproduce.cc", '#include "otseq2set/report/results.h"\n')
        self.assertEqual(self.check().returncode, 0)
        self.write("training/trainer.h", '#include "otseq2set/report/results.h"\n')
        self.assert_violation("training/trainer.h:1:", "otseq2set/report/results.h")

    def test_report_does_not_use_configuration(self):
        self.write("config/config.h", "")
        self.write("report/page.cc", '#include "otseq2set/config/config.h"\n')
        self.assert_violation("report/page.cc:1:", "otseq2set/config/config.h")

    def test_missing_header(self):
        self.write("cli/main.cc", '#include "otseq2set/core/eror.h"\n')
        self.assert_violation("cli/main.cc:1:", "does not exist")

    def test_torch_where_it_does_not_belong(self):
        self.write("loss/ipot.cc", "#include <ATen/ATen.h>\n")
        self.assert_violation("loss/ipot.cc:1:", "ATen/ATen.h")

    def test_the_server_has_torch_in_one_place(self):
        self.write("serving/predictor_suggester.cc", "#include <ATen/Parallel.h>\n")
        self.assertEqual(self.check().returncode, 0)
        self.write("serving/http_server.cc", "#include <ATen/Parallel.h>\n")
        self.assert_violation("serving/http_server.cc:1:", "ATen/Parallel.h")

    def test_the_server_does_not_use_the_commands(self):
        self.write("cli/command.h", "")
        self.write("serving/router.h", '#include "otseq2set/cli/command.h"\n')
        self.assert_violation("serving/router.h:1:", "otseq2set/cli/command.h")

    def test_own_header_in_angle_brackets(self):
        self.write("cli/main.cc", "#include <otseq2set/core/error.h>\n")
        self.assert_violation("cli/main.cc:1:", "otseq2set/core/error.h")

    def test_unknown_folder(self):
        self.write("helpers/misc.h", "")
        self.assert_violation("helpers")

    def test_comment_is_no_include(self):
        self.write("core/random.h", '// #include "otseq2set/model/network.h"\n')
        self.assertEqual(self.check().returncode, 0)

    def test_wrong_usage(self):
        result = subprocess.run([sys.executable, TOOL], stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("Usage", result.stderr)


if __name__ == "__main__":
    unittest.main()
