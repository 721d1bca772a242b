#!/usr/bin/env python3
"""The web page as a person uses it, in Chromium, against the real server."""

import shutil
import tempfile
import time
import unittest
import urllib.parse

from browser import Browser, skip_without_browser
from served_model import ADDRESS, HOSTILE, Server, train

TEXT = "The trawler brought cod. A sparrow in its nest \U0001F426 heard of the injection script."


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="otseq2set_page_")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        models = [train(cls.folder, "first", 1), train(cls.folder, "second", 2)]
        cls.server = Server(*models)
        cls.addClassCleanup(cls.server.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.window(1280, 800)
        self.browser.colours("light")
        self.expected_errors = []
        self.open()

    def tearDown(self):
        unexpected = [line for line in self.browser.console()
                      if not any(part in line for part in self.expected_errors)]
        self.assertEqual(unexpected, [], "nothing shall come on the console")
        self.assertFalse(self.browser.script("return 'broken' in window"), "somebody's script ran")

    def open(self, address=None):
        self.browser.open(address or self.server.address)
        self.browser.wait("document.readyState === 'complete'")

    def write(self, text):
        """Types what a keyboard has, pastes the rest."""
        if text.isascii():
            self.browser.type("#text", text)
        else:
            self.browser.script("const text = document.getElementById('text'); text.focus();"
                                "document.execCommand('insertText', false, arguments[0])", text)

    def settle(self):
        """Waits until the labels belong to what is written and chosen."""
        time.sleep(0.4)  # longer than the page waits for another key
        self.browser.wait("!running && shown.text === wellFormed(document.getElementById('text').value)")

    def names(self):
        return self.browser.texts("#labels .label-name")

    def marks(self):
        return self.browser.texts("#behind mark")

    def words_of(self, text, label):
        return [text[word["begin"]:word["end"]] for word in sorted(label["words"], key=lambda word: word["begin"])]

    def test_labels_appear_while_typing(self):
        self.assertEqual(self.names(), [])
        self.write("the trawler and cod")
        self.settle()
        expected = self.server.predict("the trawler and cod")
        self.assertEqual(self.names(), [label["name"] for label in expected])
        self.assertIn("fish", self.names())
        self.assertEqual(self.browser.texts("#labels .label-score"), [f"{label['score']:.2f}" for label in expected])
        bars = self.browser.script("return [...document.querySelectorAll('.label-bar')].map((bar) => "
                                   "bar.querySelector('.value').getBoundingClientRect().width / "
                                   "bar.querySelector('.track').getBoundingClientRect().width)")
        for bar, label in zip(bars, expected):
            self.assertAlmostEqual(bar, label["score"], delta=0.02)
        self.write(" oak forest")
        self.settle()
        self.assertEqual(self.names(), [label["name"] for label in self.server.predict("the trawler and cod oak forest")])
        self.assertEqual(self.browser.script("return document.getElementById('status').textContent").split()[0],
                         str(len(self.names())))

    def test_no_request_leaves_the_server(self):
        self.write("cod")
        self.settle()
        requests = self.browser.requests()
        self.assertIn(self.server.address + "v1/predict", requests)
        self.assertEqual([url for url in requests if not url.startswith(self.server.address)], [])

    def test_pointing_at_a_label_marks_its_words(self):
        self.write(TEXT)
        self.settle()
        expected = self.server.predict(TEXT)
        self.assertGreaterEqual(len(expected), 2)
        for i, label in enumerate(expected[:3]):
            self.browser.point(f"#labels li:nth-child({i + 1}) .label")
            self.browser.wait("document.querySelectorAll('#behind mark').length > 0")
            self.assertEqual(self.marks(), self.words_of(TEXT, label))
        self.browser.point_away()
        self.assertEqual(self.marks(), [])

    def test_says_where_reading_was_cut(self):
        self.write("cod " * 199 + "trawler oak forest")  # the model reads 200 words
        self.settle()
        self.assertEqual(self.browser.texts("#behind .unread"), ["oak forest"])
        note = "document.getElementById('text-note').textContent"
        self.assertEqual(self.browser.script(f"return {note}"),
                         "202 words. The model read the first 200 words, not the grey part.")
        status = self.browser.script("return document.getElementById('status').textContent")
        self.assertIn("from the first 200 of 202 words", status)
        self.browser.point("#labels .label")
        self.browser.wait("document.querySelectorAll('#behind mark').length > 0")
        self.assertEqual(self.browser.texts("#behind .unread"), ["oak forest"])
        self.browser.script("document.getElementById('text').value = ''")
        self.write("cod")
        self.settle()
        self.assertEqual(self.browser.texts("#behind .unread"), [])
        self.assertEqual(self.browser.script(f"return {note}"), "1 word")

    def test_marks_lie_under_their_words(self):
        text = (TEXT + "\n\n") * 20 + "\tthe end, with a line that is long enough to be broken somewhere " * 3 + "\n"
        for width in (1280, 360):
            self.browser.window(width, 800)
            self.browser.script("document.getElementById('text').value = ''")
            self.write(text)
            self.settle()
            self.browser.point("#labels .label")
            self.browser.wait("document.querySelectorAll('#behind mark').length > 0")
            self.assertEqual(*self.browser.script(
                "return [text, behind].map((box) => [box.clientWidth, box.scrollHeight, box.scrollTop].join())"))
            self.browser.script("text.scrollTop = 100")
            self.browser.wait("text.scrollTop === 100 && behind.scrollTop === 100")

    def test_marks_follow_texts_that_run_from_right_to_left(self):
        self.write("\u0633\u0645\u0643 trawler cod \u0628\u062d\u0631 \u0633\u0645\u0643")
        self.settle()
        self.browser.point("#labels .label")
        self.browser.wait("document.querySelectorAll('#behind mark').length > 0")
        style = "[text, behind].map((box) => getComputedStyle(box).direction + getComputedStyle(box).unicodeBidi)"
        self.assertEqual(self.browser.script(f"return {style}"), ["rtlplaintext", "rtlplaintext"])

    def test_keyboard_alone(self):
        self.browser.script("document.getElementById('text').focus()")
        self.write(TEXT)
        self.settle()
        expected = self.server.predict(TEXT)
        for _ in range(12):
            self.browser.press("Tab")
            if self.browser.script("return document.activeElement.matches('#labels li:first-child .label')"):
                break
        else:
            self.fail("Tab does not lead to the labels")
        self.assertEqual(self.marks(), self.words_of(TEXT, expected[0]))
        self.browser.press("Down")
        self.assertEqual(self.marks(), self.words_of(TEXT, expected[1]))
        self.browser.press("Enter")
        self.assertEqual(self.browser.script("return document.activeElement.getAttribute('aria-pressed')"), "true")
        self.browser.press("Home")
        self.assertEqual(self.marks(), self.words_of(TEXT, expected[0]))
        self.browser.press("End")
        self.assertEqual(self.marks(), self.words_of(TEXT, expected[-1]))
        self.browser.press("Escape")
        self.assertEqual(self.marks(), [])
        self.assertEqual(self.browser.texts("[aria-pressed=true]"), [])

    def test_threshold(self):
        self.write(TEXT)
        self.settle()
        self.browser.click("#threshold")
        self.browser.press("Home")
        self.settle()
        self.assertEqual(self.names(), [label["name"] for label in self.server.predict(TEXT, threshold=0.01)])
        many = len(self.names())
        self.browser.press("End")
        self.settle()
        self.assertEqual(self.names(), [label["name"] for label in self.server.predict(TEXT, threshold=0.99)])
        self.assertLess(len(self.names()), many)
        self.assertEqual(self.browser.texts("#threshold-value"), ["0.99"])
        self.browser.click("input[value=set]")
        self.settle()
        self.assertEqual(self.names(), [label["name"] for label in self.server.predict(TEXT)])

    def test_copy(self):
        self.browser.devtools("Browser.grantPermissions", origin=self.server.address.rstrip("/"),
                              permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.write(TEXT)
        self.settle()
        self.browser.click("#copy")
        self.browser.wait("document.getElementById('status').textContent === 'Copied'")
        copied = self.browser.script("return navigator.clipboard.readText()")
        self.assertEqual(copied, "".join(f"{label['label']}\t{label['score']:.4f}\n"
                                         for label in self.server.predict(TEXT)))

    def test_hostile_names_and_texts_are_only_shown(self):
        text = ("<script>window.broken=4</script> <img src=x onerror=window.broken=5> markup onerror "
                "script injection quote ampersand \u202e\ud83d\ude00")
        self.write(text)
        self.browser.click("#threshold")
        self.browser.press("Home")
        self.settle()
        self.assertLessEqual(set(HOSTILE), set(self.names()))
        for i in range(len(self.names())):
            self.browser.point(f"#labels li:nth-child({i + 1}) .label")
            self.browser.wait("document.querySelectorAll('#behind mark').length > 0")
        self.assertEqual(self.browser.script("return document.querySelectorAll('main img, main script').length"), 0)

    def test_labels_that_are_web_addresses_are_links(self):
        self.write("the lake and its shore, quote ampersand")
        self.browser.click("#threshold")
        self.browser.press("Home")
        self.settle()
        self.assertLessEqual({ADDRESS, *HOSTILE}, set(self.names()))
        links = self.browser.script(
            "return [...document.querySelectorAll('#labels a')].map((link) => [link.protocol + '//' + link.host + "
            "decodeURI(link.pathname + link.search), link.target, link.rel, link.textContent, "
            "link.closest('li').querySelector('.label-name').textContent])")
        self.assertEqual(links, [[ADDRESS, "_blank", "noopener noreferrer", "Open", ADDRESS]])
        named = "[itemOf('', {label: arguments[0], name: 'Lakes', score: 0.5}).querySelector('a')?.textContent ?? null]"
        for label in (ADDRESS, "HTTP://example.org/a"):
            self.assertEqual(self.browser.script(f"return {named}", label), [label])
        for label in ("javascript:alert(1)", "data:text/html,x", "ftp://example.org/", "//example.org/", "http://[",
                      "fish", " http://example.org/", "urn:x:http://example.org/"):
            self.assertEqual(self.browser.script(f"return {named}", label), [None], label)

    def test_half_a_character(self):
        self.browser.script("const text = document.getElementById('text'); text.value = 'cod \\ud83d trawler';"
                            "text.dispatchEvent(new Event('input'))")
        self.browser.wait("document.querySelectorAll('#labels .label').length > 0")
        self.browser.point("#labels .label")
        self.assertLessEqual(set(self.marks()), {"cod", "trawler"})
        self.assertTrue(self.marks())

    def test_models(self):
        self.browser.wait("!document.getElementById('model-choice').hidden")
        self.assertEqual(self.browser.script("return [...document.getElementById('model').options].map((o) => o.value)"),
                         ["first", "second"])
        self.write(TEXT)
        self.settle()
        scores = self.browser.texts("#labels .label-score")
        self.browser.script("const model = document.getElementById('model'); model.value = 'second';"
                            "model.dispatchEvent(new Event('change'))")
        self.browser.wait("document.querySelectorAll('#labels .label').length > 0")
        self.settle()
        expected = [f"{label['score']:.2f}" for label in self.server.predict(TEXT, model="second")]
        self.assertEqual(self.browser.texts("#labels .label-score"), expected)
        self.assertNotEqual(scores, expected)

    def test_dropping_a_file(self):
        self.browser.script("const data = new DataTransfer();"
                            "data.items.add(new File(['an oak in the forest'], 'trees.txt', {type: 'text/plain'}));"
                            "const event = {bubbles: true, cancelable: true, dataTransfer: data};"
                            "document.getElementById('text').dispatchEvent(new DragEvent('dragover', event));"
                            "document.getElementById('text').dispatchEvent(new DragEvent('drop', event))")
        self.browser.wait("document.getElementById('text').value === 'an oak in the forest'")
        self.settle()
        self.assertEqual(self.names(), [label["name"] for label in self.server.predict("an oak in the forest")])

    def test_opening_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt", dir=self.folder, encoding="utf-8") as file:
            file.write("größer than a sparrow 鳥")
            file.flush()
            self.browser.type("#file", file.name)
            self.browser.wait("document.getElementById('text').value === 'größer than a sparrow 鳥'")
        self.settle()
        with tempfile.NamedTemporaryFile("wb", suffix=".txt", dir=self.folder) as file:
            file.write(b"PK\0\0")
            file.flush()
            self.browser.type("#file", file.name)
            self.browser.wait("document.getElementById('problem-text').textContent.includes('not a text file')")

    def test_clearing(self):
        self.write("cod")
        self.settle()
        self.browser.click("#clear")
        self.settle()
        self.assertEqual(self.names(), [])
        self.assertTrue(self.browser.script("return document.getElementById('copy').disabled"))
        self.assertEqual(self.browser.script("return document.activeElement.id"), "text")

    def test_a_late_answer_is_dropped(self):
        """The first question's answer comes after the second's, from a browser that does not cancel."""
        self.browser.script("""
          const real = window.fetch;
          let asked = 0;
          window.fetch = async (path, options) => {
            const late = ++asked === 1;
            const answer = await real(path, { ...options, signal: undefined });
            if (late) await new Promise((done) => setTimeout(done, 900));
            return answer;
          };""")
        self.write("cod trawler")
        time.sleep(0.4)
        self.write(" oak forest")
        time.sleep(1.5)
        self.assertEqual(self.browser.script("return shown.text"), "cod trawler oak forest")
        self.assertEqual(self.names(), [label["name"] for label in self.server.predict("cod trawler oak forest")])

    def test_questions_are_cancelled(self):
        self.browser.script("""
          window.cancelled = 0;
          window.fetch = (path, options) => new Promise((_, fail) =>
            options.signal.addEventListener("abort", () => { ++window.cancelled; fail(options.signal.reason); }));""")
        self.write("cod")
        time.sleep(0.4)
        self.write(" oak")
        self.browser.wait("window.cancelled === 1")

    def test_phone(self):
        self.browser.window(360, 740, phone=True)
        self.open()
        self.write(TEXT)
        self.settle()
        self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), 360)
        self.browser.tap("#labels li:nth-child(2) .label")
        self.assertEqual(self.marks(), self.words_of(TEXT, self.server.predict(TEXT)[1]))
        self.browser.tap("#labels li:nth-child(2) .label")
        self.assertEqual(self.marks(), [])

    def test_screen_reader(self):
        self.write(TEXT)
        self.settle()
        nodes = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        named = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if "role" in node}
        for expected in [("textbox", "Text"), ("slider", "Minimum score of a label"), ("button", "Copy"),
                         ("combobox", "Model"), ("radio", "The model’s set"), ("list", "Labels"),
                         ("heading", "Labels for a text")]:
            self.assertIn(expected, named)
        self.assertTrue(any(role == "status" for role, _ in named))
        first = self.names()[0]
        self.assertTrue(any(role == "button" and name.startswith(first) for role, name in named), named)

    def test_token(self):
        self.expected_errors = ["401"]
        server = Server(f"{self.folder}/first", token="secret words")
        self.addCleanup(server.stop)
        self.open(server.address)
        self.browser.wait("document.getElementById('token-dialog').open")
        self.browser.type("#token", "a guess")
        self.browser.press("Enter")
        self.browser.wait("document.getElementById('problem-text').textContent.includes('does not accept')")
        self.browser.wait("document.getElementById('token-dialog').open")
        self.assertEqual(self.browser.texts("#token-problem"), ["The server does not accept this token."])
        self.browser.type("#token", "ein Schlüssel")
        self.browser.press("Enter")
        self.browser.wait("document.getElementById('token-problem').textContent.includes('ASCII')")
        self.browser.press("Escape")
        self.write("cod")
        time.sleep(0.6)
        self.assertFalse(self.browser.script("return document.getElementById('token-dialog').open"))
        self.browser.click("#again")
        self.browser.wait("document.getElementById('token-dialog').open")
        self.browser.type("#token", "secret words")
        self.browser.press("Enter")
        self.browser.wait("!document.getElementById('token-dialog').open")
        self.browser.wait("document.getElementById('model').options.length === 1")
        self.settle()
        self.assertEqual(self.names(), [label["name"] for label in server.predict("cod")])
        self.assertFalse(self.browser.script("return document.getElementById('copy').disabled"))
        self.assertEqual(self.browser.script("return [localStorage.length, sessionStorage.length, document.cookie]"),
                         [0, 0, ""])

    def test_busy_server(self):
        self.browser.script("""
          const real = window.fetch;
          window.fetch = async () => {
            window.fetch = real;
            return new Response("{}", { status: 503, headers: { "Retry-After": "1" } });
          };""")
        self.write("cod")
        self.browser.wait("document.getElementById('problem-text').textContent.includes('busy')")
        self.browser.wait("document.querySelectorAll('#labels .label').length > 0")
        self.assertTrue(self.browser.script("return document.getElementById('problem').hidden"))

    def test_server_that_is_gone(self):
        self.expected_errors = ["ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE"]
        server = Server(f"{self.folder}/first")
        self.addCleanup(server.stop)
        self.open(server.address)
        self.browser.wait("document.getElementById('model').options.length === 1")
        self.write("cod")
        self.settle()
        server.stop()
        self.write(" oak")
        self.browser.wait("document.getElementById('problem-text').textContent === 'The server does not answer.'")
        self.assertTrue(self.browser.script("return document.getElementById('copy').disabled"))
        self.assertEqual(self.browser.texts("#status"), ["Labels from the previous request"])

    def test_another_model_is_the_first_since_a_restart(self):
        models = [f"{self.folder}/first", f"{self.folder}/second"]
        server = Server(*models)
        self.addCleanup(server.stop)
        self.open(server.address)
        self.browser.wait("document.getElementById('model').options.length === 2")
        server.stop()
        again = Server(*reversed(models), port=urllib.parse.urlsplit(server.address).port)
        self.addCleanup(again.stop)
        self.write(TEXT)
        self.browser.wait("JSON.parse(shown.asked || '{}').model === 'first'")
        self.assertEqual(self.browser.script("return document.getElementById('model').selectedIndex"), 1)
        expected = [f"{label['score']:.2f}" for label in again.predict(TEXT, model="first")]
        self.assertEqual(self.browser.texts("#labels .label-score"), expected)

    def test_labels_of_another_threshold_are_not_taken_for_those_asked_for(self):
        self.write("cod oak")
        self.settle()
        self.browser.script("""
          window.fetch = async () => new Response("{}", { status: 500 });
          document.querySelector("input[name=rule][value=threshold]").click();""")
        self.browser.wait("!document.getElementById('problem').hidden")
        self.assertTrue(self.browser.script("return document.getElementById('copy').disabled"))
        self.assertEqual(self.browser.texts("#status"), ["Labels from the previous request"])

    def test_text_that_is_too_long(self):
        self.expected_errors = ["413"]
        server = Server(f"{self.folder}/first", arguments=["--max-body", "1000"])
        self.addCleanup(server.stop)
        self.open(server.address)
        self.write("cod " * 400)
        self.browser.wait("!document.getElementById('problem').hidden")
        self.browser.click("#clear")
        self.browser.wait("document.getElementById('problem').hidden")


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
