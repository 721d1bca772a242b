#!/usr/bin/env python3
"""Checks that includes inside src/otseq2set point one way.

    core <- config <- text <- data <- kernels <- model <- loss <- training <- inference <- serving <- cli

A folder includes from itself and from folders to its left. evaluation stands aside: it includes from core alone,
and training, inference, serving and cli include from it. What must stay quick to start includes no LibTorch.

Usage: check_dependencies.py SOURCE_FOLDER; prints one line per violation and exits with 1 if there is any.
"""

import pathlib
import re
import sys

CHAIN = ["core", "config", "text", "data", "kernels", "model", "loss", "training", "inference", "serving", "cli"]

ALLOWED = {folder: set(CHAIN[: place + 1]) for place, folder in enumerate(CHAIN)}
for folder in ("training", "inference", "serving", "cli"):
    ALLOWED[folder].add("evaluation")
ALLOWED["evaluation"] = {"core", "evaluation"}

# Compiled into the library without LibTorch, as a whole folder or as file.{h,cc}.
WITHOUT_TORCH = {"core", "config", "text", "data", "evaluation", "loss/assignment", "loss/ipot",
                 "training/model_folder", "serving"}
WITH_TORCH = {"serving/predictor_suggester"}  # all the same

PROJECT = "otseq2set/"
TORCH = re.compile(r"(torch|ATen|c10|caffe2)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def violations_of_file(root, path):
    """Yields 'file:line: what is wrong' for one source file below root."""
    name = path.relative_to(root)
    folder = name.parts[0]
    file = name.with_suffix("").as_posix()
    without_torch = file not in WITH_TORCH and (folder in WITHOUT_TORCH or file in WITHOUT_TORCH)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, target = match.groups()
        here = f"{path}:{number}"
        if TORCH.match(target) and without_torch:
            yield f"{here}: includes {target}, but this file belongs to the part that works without LibTorch"
        if not target.startswith(PROJECT):
            continue
        target_name = target[len(PROJECT) :]
        target_folder = target_name.split("/")[0]
        if bracket == "<":
            yield f'{here}: includes <{target}>; the project\'s own headers are written "{target}"'
        if not (root / target_name).is_file():
            yield f"{here}: includes {target}, which does not exist"
        elif target_folder not in ALLOWED[folder]:
            yield f"{here}: {folder} includes {target}; it may include from {', '.join(sorted(ALLOWED[folder]))}"


def violations(root):
    """Yields every violation below root, the folder that holds core, config, ..."""
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".h", ".cc", ".inc"):
            continue
        folder = path.relative_to(root).parts[0]
        if folder not in ALLOWED:
            yield f"{path}: {folder} has no place in the order of folders ({', '.join(ALLOWED)})"
            continue
        yield from violations_of_file(root, path)


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
