#!/usr/bin/env python3
"""Takes pictures of the live page and of the page of `explain`, wide and narrow, light and dark, to be looked at.

Usage: OTSEQ2SET_PROGRAM=build/otseq2set screenshots.py MODEL DOCUMENTS.jsonl FOLDER
"""

import json
import os
import pathlib
import sys

from browser import Browser
from served_model import Server, run

DEVICES = [("wide", 1280, 800, False), ("narrow", 360, 740, True)]


def write(browser, text):
    browser.script("const text = document.getElementById('text'); text.value = arguments[0];"
                   "text.dispatchEvent(new Event('input'))", text)
    browser.wait("document.querySelectorAll('#labels .label').length > 0")


def main(model, data, folder):
    os.makedirs(folder, exist_ok=True)
    with open(data, encoding="utf-8") as file:
        lines = [next(file) for _ in range(5)]
    documents, page = os.path.join(folder, "documents.jsonl"), os.path.join(folder, "explained.html")
    with open(documents, "w", encoding="utf-8") as file:
        file.writelines(lines)
    run("explain", "--model", model, "--data", documents, "--leave-out", "--output-format", "html", "--out", page)
    server = Server(model)
    browser = Browser()
    try:
        for device, *size in DEVICES:
            for scheme in ("light", "dark"):
                browser.window(*size)
                browser.colours(scheme)
                browser.open(server.address)
                browser.screenshot(os.path.join(folder, f"empty-{device}-{scheme}.png"))
                write(browser, json.loads(lines[0])["text"])
                browser.click("#labels li:nth-child(3) .label")
                browser.screenshot(os.path.join(folder, f"page-{device}-{scheme}.png"))
                browser.open(pathlib.Path(page).absolute().as_uri())
                browser.click("li:nth-child(3) .label")
                browser.screenshot(os.path.join(folder, f"explained-{device}-{scheme}.png"))
    finally:
        browser.close()
        server.stop()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
