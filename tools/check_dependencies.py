#!/usr/bin/env python3
"""Checks that includes inside src/otseq2set point one way, and that every file stands in its room's namespace.

A room is a folder. It includes from itself and from the rooms that ROOMS names for it, all of which come before it;
those of WITH_TORCH alone include LibTorch. There are no exceptions for single files. The headers of the public
interface, otseq2set/NAME.h, belong to no room, and what they declare may be defined in any.

Usage: check_dependencies.py SOURCE_FOLDER; prints one line per violation and exits with 1 if there is any.
"""

import pathlib
import re
import sys

ROOMS = {
    "core": "",
    "config": "core",
    "text": "core",
    "reading": "core text",
    "corpus": "core text reading",
    "evaluation": "core text",
    "writing": "core text reading corpus evaluation",
    "checking": "core config text reading",
    "store": "core config text corpus evaluation",
    "kernels": "core",
    "linear": "core config text corpus kernels",
    "inference": "core config text reading corpus evaluation store kernels linear",
    "http": "core text",
    "serving": "core text store inference http",
    "report": "core text evaluation",
    "reproduction": "core config text reading corpus evaluation writing store inference report",
    "search": "core config text reading corpus evaluation store report reproduction",
    "api": "core config text reading corpus evaluation store inference",
    "cli": "core config text reading corpus evaluation writing checking store inference http serving reproduction "
           "search api",
    "autograd": "core kernels",
    "model": "core config text corpus store autograd",
    "loss": "core config store autograd",
    "training": "core config text reading corpus evaluation store linear inference autograd model loss",
    "training_cli": "core config cli training",
}
WITH_TORCH = {"autograd", "model", "loss", "training"}
PUBLIC_NAMESPACE = "otseq2set::inline v1"

PROJECT = "otseq2set/"
TORCH = re.compile(r"(torch|ATen|c10|caffe2)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\s+(otseq2set\b[^{]*?)\s*\{")

CODE = re.compile(r"^\s*(?!//|#|\s|$)", re.MULTILINE)  # neither comment nor directive


def violation_of_include(root, room, bracket, target):
    """What is wrong with an include in a file of this room; None if nothing is."""
    allowed = [room, *ROOMS[room].split()]
    if TORCH.match(target) and room not in WITH_TORCH:
        return f"includes {target}, but {room} works without LibTorch"
    if not target.startswith(PROJECT) or target.count("/") == 1:  # others' headers, and the public ones
        return None
    if bracket == "<":
        return f'includes <{target}>; the project\'s own headers are written "{target}"'
    if not (root / target[len(PROJECT) :]).is_file():
        return f"includes {target}, which does not exist"
    if target.split("/")[1] not in allowed:
        return f"{room} includes {target}; it may include from {', '.join(allowed)}"
    return None


def violations_of_file(root, path):
    """Yields 'file:line: what is wrong' for one source file below root."""
    room = path.relative_to(root).parts[0]
    own = f"otseq2set::inline {room}"
    text = path.read_text(encoding="utf-8")
    in_namespace = False
    for number, line in enumerate(text.splitlines(), start=1):
        if include := INCLUDE.match(line):
            if wrong := violation_of_include(root, room, *include.groups()):
                yield f"{path}:{number}: {wrong}"
        if namespace := NAMESPACE.match(line):
            in_namespace = True
            if namespace[1] not in (own, PUBLIC_NAMESPACE):
                yield f"{path}:{number}: namespace {namespace[1]}; files of {room} are in namespace {own}"
    if not in_namespace and CODE.search(text.replace("\\\n", "")):
        yield f"{path}: is in no namespace; files of {room} are in namespace {own}"


def violations(root):
    """Yields every violation below root, the folder that holds core, config, ..."""
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cc", ".inc"):
            continue
        room = path.relative_to(root).parts[0]
        if room in ROOMS:
            yield from violations_of_file(root, path)
        else:
            yield f"{path}: {room} has no place in the order of rooms ({', '.join(ROOMS)})"


def main(arguments):
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = list(violations(pathlib.Path(arguments[0])))
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
