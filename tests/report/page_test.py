"""The report of made-up results, as parsers see it.

Usage: page_test.py EXAMPLE_REPORT_PROGRAM
"""

import collections
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = sys.argv.pop(1)


class Collector(html.parser.HTMLParser):
    """Ids, what links lead to, and everything that could load something."""

    def __init__(self):
        super().__init__()
        self.ids = collections.Counter()
        self.links = set()
        self.loads = []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids[value] += 1
            elif name == "href":
                self.links.add(value)
            elif name == "aria-labelledby":
                self.links.update("#" + part for part in value.split())
            elif name in ("src", "srcset", "action", "data", "poster", "background") or name.startswith("on"):
                self.loads.append((tag, name, value))
        if tag in ("script", "link", "iframe", "object", "embed", "img", "base", "form"):
            self.loads.append((tag, "", ""))


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                [PROGRAM, folder, "--compare-paper"], stderr=subprocess.PIPE, text=True, check=True, timeout=300
            )
            cls.warnings = result.stderr
            cls.text = (pathlib.Path(folder) / "report.html").read_text(encoding="utf-8")
        cls.found = Collector()
        cls.found.feed(cls.text)
        cls.tree = xml.etree.ElementTree.fromstring(cls.text)

    def test_ids_are_unique(self):
        self.assertEqual([name for name, count in self.found.ids.items() if count > 1], [])

    def test_links_lead_somewhere_in_the_page(self):
        self.assertEqual([link for link in self.found.links if link[0] != "#" or link[1:] not in self.found.ids], [])

    def test_nothing_is_loaded(self):
        self.assertEqual(self.found.loads, [])
        self.assertEqual(re.findall(r"https?:|@import|url\((?!#)", self.text), [])

    def test_figures_are_labelled(self):
        if "gnuplot" in self.warnings:
            self.skipTest(self.warnings)
        figures = list(self.tree.iter("figure"))
        self.assertGreaterEqual(len(figures), 10)
        for figure in figures:
            (drawing,) = figure.iter("svg")
            self.assertEqual(drawing.get("role"), "img")
            self.assertTrue(drawing.find("title").text and drawing.find("desc").text)
            self.assertTrue("".join(figure.find("figcaption").itertext()).strip())
            texts = [text.text for text in drawing.iter("text") if text.text and re.search("[a-zA-Z]", text.text)]
            self.assertGreaterEqual(len(texts), 2, "axes have names")

    def test_tables_are_rectangular(self):
        for table in self.tree.iter("table"):
            columns = {
                sum(int(cell.get("colspan", 1)) for cell in row if cell.tag in ("td", "th")) for row in table.iter("tr")
            }
            self.assertEqual(len(columns), 1)


if __name__ == "__main__":
    unittest.main()
