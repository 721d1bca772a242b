"""Speed, quality and size of a model against a linear one and fastText, on the same documents.

Usage: against_fasttext.py --model FOLDER --train FILE.jsonl --test FILE.jsonl [--work FOLDER] [--rounds 5]

--model is a hybrid, as the demo trains it. Compared with it: its network alone, with the greedy rule; a linear model;
and fastText, plain and quantized, with the settings of `reproduce`. All are trained on the same documents; what is in
--work is not trained again. Debian's fastText answers on one thread; so do the others, and on two as well. fastText
reads words that are split already, and it has no set rule: its threshold is the best one for the test documents
themselves, which no other row is allowed. Documents per second are those of whole processes, without what a process
with one document takes; the programs run in turn, and the best time of each counts.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

PROGRAM = os.environ.get("OTSEQ2SET_PROGRAM", "build/otseq2set")
TIMES = 4  # the test documents are predicted so many times over
THRESHOLDS = [i / 100 for i in range(1, 100)]
FASTTEXT = ["-loss", "ova", "-wordNgrams", "2", "-epoch", "25", "-lr", "0.5", "-dim", "100", "-thread", "2"]


def run(*command, output=subprocess.DEVNULL):
    subprocess.run([str(part) for part in command], check=True, stdout=output, stderr=subprocess.DEVNULL)


def documents(file):
    with open(file, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def label_token(label):
    return "__label__" + label.replace(" ", "_")


def write_fasttext(file, docs, with_labels):
    with open(file, "w", encoding="utf-8") as out:
        for doc in docs:
            words = " ".join(re.findall(r"\w+", doc["text"].lower()))
            labels = " ".join(map(label_token, doc["labels"])) + " " if with_labels else ""
            out.write(labels + words + "\n")


def keep_network(model, to):
    """The model without its linear part. Its set rule was for both: greedy stays."""
    to.mkdir(exist_ok=True)
    for name in ("labels.jsonl", "weights.safetensors"):
        shutil.copy(model / name, to)
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config["config"]["linear"]["hybrid"] = False
    words = (model / "words.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    known = config["config"]["model"]["words"]  # the linear model knows more; 0: as many
    (to / "words.txt").write_text("".join(words[:known or None]), encoding="utf-8")
    config["config"]["model"]["words"] = 0
    (to / "config.json").write_text(json.dumps(config), encoding="utf-8")


def prepare(options, work):
    """Trains what is not there yet."""
    train, test = documents(options.train), documents(options.test)
    if not (work / "linear/set_rule.json").exists():
        run(PROGRAM, "train", "--data", options.train, "--model", work / "linear", "--variant", "linear", "--overwrite")
    if not (work / "network/weights.safetensors").exists():
        keep_network(pathlib.Path(options.model), work / "network")
    if not (work / "fasttext.ftz").exists():
        write_fasttext(work / "train.txt", train, True)
        run("fasttext", "supervised", "-input", work / "train.txt", "-output", work / "fasttext", *FASTTEXT)
        run("fasttext", "quantize", "-input", work / "train.txt", "-output", work / "fasttext", "-qnorm", "-retrain",
            "-cutoff", "100000", *FASTTEXT[:2], "-epoch", "1", "-thread", "2")
    for name, docs in (("one", test[:1]), ("many", test * TIMES)):
        write_fasttext(work / f"{name}.txt", docs, False)
        with open(work / f"{name}.jsonl", "w", encoding="utf-8") as out:
            for doc in docs:
                out.write(json.dumps({"text": doc["text"]}) + "\n")
    write_fasttext(work / "test.txt", test, False)
    return test


def fasttext_quality(model, work, test):
    ranked = subprocess.run(["fasttext", "predict-prob", model, work / "test.txt", "-1", "0.005"], check=True,
                            text=True, stdout=subprocess.PIPE).stdout.splitlines()
    answers = []
    for line in ranked:
        parts = line.split()
        answers.append([(parts[i], float(parts[i + 1])) for i in range(0, len(parts), 2)])
    truths = [set(map(label_token, doc["labels"])) for doc in test]
    first = sum(bool(answer) and answer[0][0] in truth for answer, truth in zip(answers, truths))
    best = 0
    for threshold in THRESHOLDS:
        right = given = 0
        for answer, truth in zip(answers, truths):
            labels = [label for label, score in answer if score >= threshold]
            given += len(labels)
            right += sum(label in truth for label in labels)
        best = max(best, 2 * right / (given + sum(map(len, truths))))
    return best, first / len(test)


def own_quality(model, work, options):
    run(PROGRAM, "eval", "--model", model, "--data", options.test, "--metrics-file", work / "metrics.json")
    metrics = json.loads((work / "metrics.json").read_text())
    return metrics["micro-F1"], metrics["P@1"]


def folder_size(path):
    needed = {"config.json", "joining.json", "labels.jsonl", "linear.json", "linear.safetensors", "set_rule.json",
              "weights.safetensors", "words.txt"}
    path = pathlib.Path(path)
    return path.stat().st_size if path.is_file() else sum((path / name).stat().st_size for name in needed
                                                          if (path / name).exists())


def measured(command):
    """Seconds and peak memory of one process."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"error: {' '.join(map(str, command))} ended with code {child.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--work", default="build/against_fasttext", type=pathlib.Path)
    parser.add_argument("--rounds", default=5, type=int)
    options = parser.parse_args()
    work = options.work
    work.mkdir(parents=True, exist_ok=True)
    test = prepare(options, work)

    def own(model, threads):
        return lambda name: [PROGRAM, "predict", "--model", model, "--data", work / f"{name}.jsonl", "--threads",
                             str(threads)]

    def fasttext(model):
        return lambda name: ["fasttext", "predict-prob", model, work / f"{name}.txt", "-1", "0.3"]

    rows = []
    for label, model in (("network and linear model", options.model), ("network alone", work / "network"),
                         ("linear model alone", work / "linear")):
        quality = own_quality(model, work, options)
        rows += [(f"{label}, {threads} thread{'s'[:threads > 1]}", quality, model, own(model, threads))
                 for threads in (1, 2)]
    for label, name in (("fastText, 1 thread", "fasttext.bin"), ("fastText, quantized, 1 thread", "fasttext.ftz")):
        rows.append((label, fasttext_quality(work / name, work, test), work / name, fasttext(work / name)))

    best = [{"one": 1e9, "many": 1e9, "memory": 0} for _ in rows]
    for _ in range(options.rounds):
        for (_, _, _, command), own_best in zip(rows, best):
            for name in ("one", "many"):
                seconds, memory = measured(command(name))
                own_best[name] = min(own_best[name], seconds)
                own_best["memory"] = max(own_best["memory"], memory)
    print(f"{len(test)} documents, {TIMES} times over; best of {options.rounds}")
    print("| | micro-F1 | P@1 | documents/s | start and one document | model | memory |")
    print("|---|---|---|---|---|---|---|")
    for (label, (f1, first), model, _), own_best in zip(rows, best):
        rate = (len(test) * TIMES - 1) / (own_best["many"] - own_best["one"])
        print(f"| {label} | {100 * f1:.1f} | {100 * first:.1f} | {rate:,.0f} | {1e3 * own_best['one']:.0f} ms "
              f"| {folder_size(model) / 1e6:.1f} MB | {own_best['memory'] / 1e3:.0f} MB |")


if __name__ == "__main__":
    main()
