#!/usr/bin/env python3
"""The page that `otseq2set explain` writes, in Chromium."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from browser import Browser, skip_without_browser
from served_model import LABELS, run, train

DOCUMENTS = [
    {"id": "first", "text": "The trawler brought cod.\r\n\r\n\U0001F426 A sparrow in its nest."},
    {"id": "</h2><script>window.broken=6</script>",
     "text": "<script>window.broken=4</script> markup \u0001 <img src=x onerror=window.broken=5> onerror \u202e script"},
    {"id": "long", "text": "oak forest " * 150},
]


class ExplainedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="otseq2set_explained_")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        model = train(cls.folder, "model", 1)
        data, page = os.path.join(cls.folder, "documents.jsonl"), os.path.join(cls.folder, "page.html")
        with open(data, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(document) + "\n" for document in DOCUMENTS)
        arguments = ["explain", "--model", model, "--data", data, "--top-k", str(len(LABELS)), "--words", "4"]
        cls.expected = [json.loads(line) for line in run(*arguments).splitlines()]
        run(*arguments, "--leave-out", "--output-format", "html", "--out", page)
        cls.address = pathlib.Path(page).as_uri()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.window(1280, 800)
        self.browser.open(self.address)

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "nothing shall come on the console")
        self.assertEqual(self.browser.requests(), [self.address], "the page needs nothing but itself")
        self.assertFalse(self.browser.script("return 'broken' in window"), "somebody's script ran")

    def label(self, document, label):
        return f"article:nth-of-type({document + 1}) li:nth-child({label + 1}) .label"

    def marks(self, document):
        return self.browser.texts(f"article:nth-of-type({document + 1}) mark")

    def words(self, document, label):
        words = self.expected[document]["labels"][label]["words"]
        return [word["word"] for word in sorted(words, key=lambda word: word["begin"])]

    def test_everything_is_shown_as_it_is(self):
        self.assertEqual(self.browser.texts("h2"), [document["id"] for document in DOCUMENTS])
        expected = [document["text"].replace("\u0001", "\ufffd") for document in DOCUMENTS]
        self.assertEqual(self.browser.texts(".text"), expected)
        self.assertEqual(set(self.browser.texts(".label-name")), set(LABELS))
        self.assertEqual(self.browser.script("return document.querySelectorAll('article img').length"), 0)

    def test_pointing_marks_the_words_of_the_label(self):
        for document in (0, 1):
            for label in range(3):
                self.browser.point(self.label(document, label))
                self.assertEqual(self.marks(document), self.words(document, label))
        self.assertEqual(self.marks(0), [], "each document has its own")

    def test_keyboard(self):
        self.browser.press("Tab")
        self.assertEqual(self.marks(0), self.words(0, 0))
        self.browser.press("Down", "Enter")
        self.assertEqual(self.marks(0), self.words(0, 1))
        self.browser.press("Escape")
        self.assertEqual(self.marks(0), [])

    def test_phone(self):
        self.browser.window(360, 740, phone=True)
        self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), 360)
        self.browser.tap(self.label(0, 1))
        self.assertEqual(self.marks(0), self.words(0, 1))
        self.browser.tap(self.label(0, 1))
        self.assertEqual(self.marks(0), [])

    def test_words_out_of_sight_come_into_view(self):
        self.browser.window(1280, 200)
        self.browser.click(self.label(2, 0))
        visible = self.browser.script(
            "const box = document.querySelectorAll('.reading')[2].getBoundingClientRect();"
            "return [...document.querySelectorAll('article:nth-of-type(3) mark')].some((mark) => {"
            "const place = mark.getBoundingClientRect(); return place.top >= box.top && place.bottom <= box.bottom; })")
        self.assertTrue(visible)

    def test_says_where_the_model_stopped_reading(self):
        self.assertEqual(self.browser.texts(".cut"), ["The model read the first 200 of 300 words, not the grey part."])
        unread = DOCUMENTS[2]["text"].split(" ", 200)[200]
        self.assertEqual(self.browser.texts(".unread"), [unread])
        self.browser.point(self.label(2, 0))
        self.assertEqual(self.browser.texts(".unread"), [unread])

    def test_print(self):
        self.browser.colours("light", media="print")
        heights = self.browser.script("return [...document.querySelectorAll('.reading')].map((box) => "
                                      "[box.scrollHeight, box.clientHeight])")
        for whole, seen in heights:
            self.assertEqual(whole, seen, "paper does not scroll")


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
