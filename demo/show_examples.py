#!/usr/bin/env python3
"""Shows a few documents with the labels they have and the labels the model gave them.

Usage: show_examples.py TEST_FILE PREDICTIONS [--count N]

PREDICTIONS is what `otseq2set predict` wrote for TEST_FILE: a line {"id", "labels": [{"label", "score"}, ...]} each.
"""

import argparse
import json
import shutil
import sys
import textwrap

BOLD, GREEN, RED, FAINT = "1", "32", "31", "2"


def paint(code, text):
    return f"\033[{code}m{text}\033[0m" if sys.stdout.isatty() else text


def read_jsonl(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def choose(documents, count):
    """Documents spread evenly over those with a set of labels worth looking at."""
    candidates = [document for document in documents if 3 <= len(document["labels"]) <= 9] or documents
    return candidates[:: max(1, len(candidates) // count)][:count]


def show(document, predicted, width):
    true = set(document["labels"])
    given = {entry["label"] for entry in predicted}
    print(paint(BOLD, document["id"]))
    text = " ".join(document["text"].split())
    for line in textwrap.wrap(text, width - 4, max_lines=3, placeholder=" ..."):
        print("    " + paint(FAINT, line))
    for entry in sorted(predicted, key=lambda entry: -entry["score"]):
        right = entry["label"] in true
        mark = paint(GREEN, "right ") if right else paint(RED, "wrong ")
        print(f"  {mark} {entry['score']:5.2f}  {entry['label']}")
    for label in document["labels"]:
        if label not in given:
            print(f"  {paint(FAINT, 'missed')}    -   {label}")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("test_file")
    parser.add_argument("predictions")
    parser.add_argument("--count", type=int, default=6)
    options = parser.parse_args()

    predictions = {line["id"]: line.get("labels", []) for line in read_jsonl(options.predictions)}
    width = min(100, shutil.get_terminal_size().columns)
    print()
    for document in choose(read_jsonl(options.test_file), options.count):
        if document["id"] not in predictions:
            sys.exit(f"error: {options.predictions}: no line for {document['id']}")
        show(document, predictions[document["id"]], width)


if __name__ == "__main__":
    main()
