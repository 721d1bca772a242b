"""The report of made-up results in a real browser: no messages on its console, nothing wider than a phone, and tables
that go on to the side show it.

Usage: browser_test.py EXAMPLE_REPORT_PROGRAM CHROMIUM
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CHROMIUM = sys.argv.pop(2)
PROGRAM = sys.argv.pop(1)

# The report in a frame as wide as a phone; what is measured goes into the title.
FRAME = """<!DOCTYPE html><title>waiting</title>
<iframe src="report.html" style="width: 360px; height: 800px; border: 0"></iframe>
<script>
addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument;
  const figures = [...page.querySelectorAll("svg")].map(figure => Math.round(figure.getBoundingClientRect().width));
  document.title = "width " + page.documentElement.scrollWidth + " figures " + figures.join(" ");
});
</script>
"""


class Browser(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # the browser may still be writing
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        subprocess.run([PROGRAM, self.folder, "--compare-paper"], check=True, timeout=300)

    def chromium(self, name, *options):
        result = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--allow-file-access-from-files", "--enable-logging=stderr", f"--user-data-dir={self.folder}/profile",
             "--virtual-time-budget=5000", *options, f"file://{self.folder}/{name}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def open(self, name):
        """The document after loading, and what was said on the console."""
        result = self.chromium(name, "--dump-dom")
        return result.stdout, [line for line in result.stderr.splitlines() if "CONSOLE" in line]

    def picture(self, name, width):
        file = self.folder / "picture.png"
        self.chromium(name, f"--screenshot={file}", f"--window-size={width},2000")
        return file.read_bytes()

    def test_console_is_silent(self):
        document, messages = self.open("report.html")
        self.assertEqual(messages, [])
        self.assertIn("OTSeq2Set", document)

    def test_console_would_be_heard(self):
        (self.folder / "loud.html").write_text("<script>console.error('ouch')</script>")
        _, messages = self.open("loud.html")
        self.assertEqual(len(messages), 1)

    def test_fits_a_phone(self):
        (self.folder / "frame.html").write_text(FRAME)
        document, _ = self.open("frame.html")
        measured = re.search("<title>width ([0-9]+) figures ([0-9 ]*)</title>", document)
        self.assertTrue(measured, document[:300])
        self.assertLessEqual(int(measured[1]), 360)
        for width in measured[2].split():
            self.assertGreater(int(width), 280)

    def test_tables_that_go_on_to_the_side_show_it(self):
        """The main table does on a narrow page, and not on a wide one."""
        text = (self.folder / "report.html").read_text(encoding="utf-8")
        only_main = "section:not(#main), .paper { display: none; }"
        for name, style in (("hinted", only_main), ("plain", only_main + ".scroll { background: none; }")):
            styled = text.replace("</head>", f"<style>{style}</style></head>")
            (self.folder / f"{name}.html").write_text(styled, encoding="utf-8")
        self.assertFalse(self.picture("hinted.html", 500) == self.picture("plain.html", 500), "no hint")
        self.assertTrue(self.picture("hinted.html", 1200) == self.picture("plain.html", 1200), "a hint for nothing")


if __name__ == "__main__":
    unittest.main()
