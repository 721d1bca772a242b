"""What Python costs: predict on many short texts against the program, and two threads of Python against one.

Usage: python_overhead.py --model FOLDER --data FILE.jsonl [--texts 10000] [--words 20] [--repeats 5]
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import otseq2set

PROGRAM = os.environ.get("OTSEQ2SET_PROGRAM", "build/otseq2set")
SCRIPT = """
import json, sys
import otseq2set
texts = [json.loads(line)["text"] for line in open(sys.argv[2])]
answers = otseq2set.Model.load(sys.argv[1]).predict(texts)
assert len(answers) == len(texts)
"""


def seconds(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def short_texts(file, count, words):
    texts = []
    while len(texts) < count:  # a small file serves several times
        with open(file) as lines:
            texts += [" ".join(json.loads(line)["text"].split()[:words]) for line in lines]
    return texts[:count]


def run(command):
    """Seconds by the clock, and of the processor, which say more when others use the machine too. Idle threads sleep,
    or they would count as busy."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           env={**os.environ, "OMP_WAIT_POLICY": "passive"}))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_overhead(model, file, repeats):
    """Whole processes, which read, load, predict and end; in turns, so that both see the same machine."""
    program = [PROGRAM, "predict", "--model", model, "--data", file]
    python = [sys.executable, "-c", SCRIPT, model, file]
    pairs = [(run(program), run(python)) for _ in range(repeats)]
    for place, kind in enumerate(("clock", "processor")):
        ours, theirs = ([pair[which][place] for pair in pairs] for which in (1, 0))
        print(f"{kind:<10} program {min(theirs):6.2f} s, python {min(ours):6.2f} s: {min(ours) / min(theirs):.3f} times at best, "
              f"{statistics.median(our / their for our, their in zip(ours, theirs)):.3f} in the middle of pairs")


def measure_threads(model, texts, repeats):
    """One model whose calls use one thread each, asked for portions of the texts by one and by two threads of Python."""
    loaded = otseq2set.Model.load(model, threads=1)
    portions = [texts[begin:begin + 500] for begin in range(0, len(texts), 500)]

    def ask(threads):
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(loaded.predict, portions))

    ask(2)
    pairs = [(seconds(lambda: ask(1)), seconds(lambda: ask(2))) for _ in range(repeats)]
    one, two = (min(pair[place] for pair in pairs) for place in (0, 1))
    print(f"1 thread {one:6.2f} s, 2 threads {two:6.2f} s: {one / two:.2f} times as fast at best, "
          f"{statistics.median(first / second for first, second in pairs):.2f} in the middle of pairs")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="demo/model")
    parser.add_argument("--data", default="demo/data/debtags.test.jsonl")
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    texts = short_texts(options.data, options.texts, options.words)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "texts.jsonl"
        file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        measure_overhead(options.model, str(file), options.repeats)
    measure_threads(options.model, texts, options.repeats)


if __name__ == "__main__":
    main()
