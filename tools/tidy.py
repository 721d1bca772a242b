#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a build, skipping those that were clean before and have not changed since.

Usage: tidy.py BUILD_FOLDER SOURCE_FOLDER [--jobs N]

A file counts as unchanged while its text, the project headers it reaches, its compile command and .clang-tidy are
the same; the proof is an empty file BUILD_FOLDER/tidy/<hash>. clang-tidy reads the compile commands that CMake
exports, with GCC's precompiled header replaced by one that clang makes of the same header.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
TORCH = re.compile(r"^\s*#\s*include\s*<(torch|ATen|c10)/", re.MULTILINE)
PRECOMPILED = "cmake_pch.hxx"


def headers_of(file, root, seen):
    """Adds the project headers that file reaches to seen."""
    for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        header = root / name
        if header.is_file() and header not in seen:
            seen.add(header)
            headers_of(header, root, seen)
    return seen


def uses_torch(file, root):
    return any(TORCH.search(path.read_text(encoding="utf-8")) for path in [file, *headers_of(file, root, set())])


def arguments_for_clang(command, precompiled):
    """The arguments of a compile command, with `precompiled`, if any, in place of GCC's precompiled header."""
    arguments = iter(shlex.split(command))
    kept = []
    for argument in arguments:
        if argument == "-include":
            header = next(arguments)
            if PRECOMPILED not in header:
                kept += [argument, header]
            elif precompiled:
                kept += ["-include-pch", str(precompiled)]
        elif argument not in ("-Winvalid-pch", "-fvect-cost-model=dynamic"):  # which only GCC knows
            kept.append(argument)
    return kept


def compile_commands(build, sources, precompiled):
    """{file: entry of the compilation database} for the files below sources."""
    # GCC's own headers come last: they provide omp.h, which clang-tidy does not bring along.
    gcc_headers = subprocess.run(["g++", "-print-file-name=include"], stdout=subprocess.PIPE, text=True, check=True)
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = pathlib.Path(entry["file"])
        if sources in file.parents:
            # clang-tidy walks through all it is given: no LibTorch for a file that does without.
            torch = uses_torch(file, sources.parent)
            arguments = arguments_for_clang(entry["command"], precompiled if torch else None)
            if torch:  # which clang 14 cannot read as C++20
                arguments = ["-std=c++17" if argument.startswith("-std=") else argument for argument in arguments]
                arguments += ["-Wno-c++20-extensions", "-Wno-c++20-designator"]
            arguments += ["-idirafter", gcc_headers.stdout.strip()]
            commands[file] = {"directory": entry["directory"], "file": str(file), "arguments": arguments}
    return commands


def precompile(command, header, precompiled):
    """Makes clang's precompiled header with the flags of a compile command that uses it."""
    compiler = pathlib.Path(shutil.which("clang-tidy")).resolve().with_name("clang++")
    arguments = iter(command["arguments"][1:])
    flags = []
    for argument in arguments:
        if argument in ("-o", "-MT", "-MF", "-include-pch"):
            next(arguments)
        elif argument not in ("-c", "-MD", command["file"]):
            flags.append(argument)
    flags += ["-Wno-pragma-system-header-outside-header", "-x", "c++-header"]
    subprocess.run([compiler, *flags, header, "-o", precompiled], check=True)


def fingerprint(file, root, command, settings):
    digest = hashlib.sha256(settings)
    digest.update("\0".join(command["arguments"]).encode())
    for path in [file, *sorted(headers_of(file, root, set()))]:
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def check(file, folder):
    """clang-tidy's findings about one file, and whether there were none."""
    result = subprocess.run(
        ["clang-tidy", "-p", folder, "--quiet", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # Its count of suppressed warnings in other people's headers goes to stderr; so do its own troubles.
    return result.stdout if result.stdout.strip() else result.stderr, result.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    sources = options.sources.resolve()
    root = sources.parent  # what #include "otseq2set/..." starts from

    folder = options.build.resolve() / "tidy"
    folder.mkdir(exist_ok=True)
    precompiled = folder / "header.pch"
    commands = compile_commands(options.build, sources, precompiled)
    (folder / "compile_commands.json").write_text(json.dumps(list(commands.values()), indent=1), encoding="utf-8")

    settings = (root.parent / ".clang-tidy").read_bytes()
    proofs = {file: folder / fingerprint(file, root, command, settings) for file, command in commands.items()}
    pending = [file for file, proof in proofs.items() if not proof.exists()]
    print(f"clang-tidy: {len(pending)} of {len(proofs)} files to check", flush=True)

    # Made anew each time it is needed, since clang refuses one that is older than a header in it.
    using_precompiled = [file for file in pending if "-include-pch" in commands[file]["arguments"]]
    if using_precompiled:
        header = (options.build / "CMakeFiles/otseq2set_training.dir" / PRECOMPILED).resolve()
        precompile(commands[using_precompiled[0]], header, precompiled)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(check, file, folder): file for file in pending}
        for run in concurrent.futures.as_completed(runs):
            findings, clean = run.result()
            if clean:
                proofs[runs[run]].touch()
            else:
                failed += 1
                print(findings, flush=True)

    precompiled.unlink(missing_ok=True)  # hundreds of megabytes
    current = {proof.name for proof in proofs.values()} | {"compile_commands.json"}
    for old in folder.iterdir():
        if old.name not in current:
            old.unlink()
    if failed:
        print(f"clang-tidy: findings in {failed} files")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
