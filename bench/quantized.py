#!/usr/bin/env python3
"""A model and its int8 copy in turn: ./run bench quantized --model DIR --data FILE.jsonl [--rounds N] [--seconds S]

Sections: predict (documents a second, also as on a machine with AVX2), serve (32 connections: rate, delay, memory).
The copy is made first. Best of the rounds.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import serving_load
import served  # noqa: E402  serving_load knows where it is

KINDS = ("float32", "int8")


def size_of(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def predict_seconds(model, data, target):
    environment = {**os.environ, **({"OTSEQ2SET_HIGHEST_TARGET": target} if target else {})}
    begin = time.monotonic()
    subprocess.run([served.PROGRAM, "predict", "--model", model, "--data", data], check=True, env=environment,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def predict(models, options):
    with open(options.data, encoding="utf-8") as lines:
        documents = sum(1 for _ in lines)
    for target in ("", "AVX2"):
        best = dict.fromkeys(KINDS, float("inf"))
        for _ in range(options.rounds):
            for kind in KINDS:
                best[kind] = min(best[kind], predict_seconds(models[kind], options.data, target))
        rates = {kind: documents / best[kind] for kind in KINDS}
        print(f"predict, {target or 'all instructions'}: float32 {rates['float32']:.0f} documents/s, "
              f"int8 {rates['int8']:.0f}, {rates['int8'] / rates['float32']:.2f} times", flush=True)


def resident(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(text.split("VmRSS:")[1].split()[0]) / 1e3


def serve(models, options):
    with tempfile.TemporaryDirectory() as folder:
        load = serving_load.Load(argparse.Namespace(model=models["float32"], texts=options.data, serve=()),
                                 pathlib.Path(folder))
        results = {kind: [] for kind in KINDS}
        for _ in range(options.rounds):
            for kind in KINDS:
                load.model = models[kind]
                with load.serve() as server:
                    load.wrk(server, load.script, serving_load.CONNECTIONS, 1)
                    result = load.wrk(server, load.script, serving_load.CONNECTIONS, options.seconds)
                    results[kind].append((result["rate"], result["p50"], result["p99"], resident(server)))
    best = {kind: max(results[kind]) for kind in KINDS}
    for kind, (rate, p50, p99, memory) in best.items():
        print(f"server, 32 connections, {kind}: {rate:.0f} documents/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms, "
              f"{memory:.0f} MB")
    print(f"int8 / float32: {best['int8'][0] / best['float32'][0]:.2f} times", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--data", required=True, help="documents, JSON lines")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("sections", nargs="*", help="predict, serve; all if none is given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = {"float32": options.model, "int8": pathlib.Path(folder) / "int8"}
        subprocess.run([served.PROGRAM, "quantize", "--model", options.model, "--out", models["int8"]], check=True)
        for name, section in {"predict": predict, "serve": serve}.items():
            if not options.sections or name in options.sections:
                section(models, options)


if __name__ == "__main__":
    sys.exit(main())
