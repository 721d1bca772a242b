#!/usr/bin/env python3
"""Breaks everything around the program, in turn and at random, and says what it found: ./run torture.

Every part has the same seed, so whatever is found can be had again, alone: the line that tells it says how.
"""

import argparse
import os
import pathlib
import sys
import time

import damaged_data
import damaged_models
import faults
import power_loss
import requests_torture
from runner import Torture
from subjects import Models

# part -> (its share of the time, what it is called in the last line, how many a short run makes)
PARTS = {
    "faults": (0.34, "faults", 60),
    "kills": (0.18, "kills", 12),
    "power": (0.10, "power cuts", 12),
    "models": (0.12, "damaged models", 60),
    "checkpoints": (0.08, "damaged checkpoints", 8),
    "data": (0.08, "damaged data files", 60),
    "requests": (0.10, "mutated requests", 3000),
}
RUN = {"faults": faults.run, "kills": faults.run_kills, "power": power_loss.run, "models": damaged_models.run,
       "checkpoints": damaged_models.run_checkpoints, "data": damaged_data.run, "requests": requests_torture.run}


def parse():
    parser = argparse.ArgumentParser(prog="./run torture", description=__doc__)
    parser.add_argument("minutes", nargs="?", type=float, default=60, help="how long, about; default 60")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part; may be given several times")
    parser.add_argument("--case", help="only this case of the part, as a finding names it")
    parser.add_argument("--most", type=int, help="no more cases than this of each part")
    parser.add_argument("--short", action="store_true", help="a few of everything, with the shipped server only")
    parser.add_argument("--build", default="build", help="the folder of the shipped programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--folder", help="where to work; default /dev/shm")
    return parser.parse_args()


def builds_of(arguments):
    if arguments.short:
        return {"release": f"{arguments.build}/otseq2set"}
    return {"asan": "build-asan/otseq2set", "tsan": "build-tsan/otseq2set", "release": f"{arguments.build}/otseq2set"}


def main():
    arguments = parse()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    torture = Torture(arguments.build, arguments.seed, arguments.jobs, arguments.folder, arguments.short)
    start = time.monotonic()
    try:
        models = Models(torture)
        parts = arguments.only or list(PARTS)
        whole = sum(PARTS[part][0] for part in parts)
        for part in parts:
            share, name, few = PARTS[part]
            until = time.monotonic() + arguments.minutes * 60 * share / whole
            more = {"builds": builds_of(arguments)} if part == "requests" else {}
            begun = time.monotonic()
            before = len(torture.findings)
            most = few if arguments.short else arguments.most
            of_which = RUN[part](torture, models, until, most, arguments.case, **more)
            print(f"{name}: {torture.tally[part]:,} in {time.monotonic() - begun:.0f} s, "
                  f"{len(torture.findings) - before} found{f' ({of_which})' if of_which else ''}", flush=True)
    finally:
        torture.close()
    line = "; ".join(f"{PARTS[part][1]} {torture.tally[part]:,}: {sum(f[0] == part for f in torture.findings)} found"
                     for part in parts)
    if torture.tally["died for want of memory"]:
        print(f"ended by a library that had no memory: {torture.tally['died for want of memory']:,}")
    seconds, case = torture.slowest
    memory, large = torture.largest
    print(f"slowest: {seconds:.1f} s ({case}); largest: {memory:.0f} MB ({large})")
    print(f"seed {arguments.seed}, {(time.monotonic() - start) / 60:.1f} minutes: {line}")
    return 1 if torture.findings else 0


if __name__ == "__main__":
    sys.exit(main())
