#!/usr/bin/env python3
"""Makes a corpus for tagging from Debian's own package index.

A document is the description of a package, its labels are the package's debtags (facet::tag, see
https://wiki.debian.org/Debtags). The index is fetched from the sources this system is set up with, into a folder of
its own: nothing of the system is changed and root is not needed.

Packages made from the same source share most of their description. The split into training and test is therefore
made by source package, so that no test document has a sibling in the training part.
"""

import argparse
import collections
import contextlib
import hashlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

APT_HELPER = "/usr/lib/apt/apt-helper"
TEST_ONE_IN = 10

# Read by apt-get after the system's configuration: own folders, English only, no hooks of the system.
APT_CONFIGURATION = """
Dir::State "{folder}/state";
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/cache";
Debug::NoLocking "true";
APT::Sandbox::User "";
#clear Acquire::Languages;
Acquire::Languages {{ "en"; }};
Acquire::Retries "3";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""


class Failure(Exception):
    """What the user can act on."""


def fetch_lists(folder):
    """Downloads the package index into folder / lists."""
    for name in ("lists/partial", "cache/archives/partial", "state"):
        (folder / name).mkdir(parents=True)
    configuration = folder / "apt.conf"
    configuration.write_text(APT_CONFIGURATION.format(folder=folder), encoding="utf-8")
    result = subprocess.run(
        ["apt-get", "-c", configuration, "-qq", "update"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    if result.returncode != 0 or not list((folder / "lists").glob("*_Packages*")):
        raise Failure("apt-get update did not bring the package index:\n" + result.stdout.strip())


def stanzas(path):
    """Yields each paragraph of a Debian control file, compressed or not, as a dict; continuation lines keep their
    leading space."""
    with subprocess.Popen(
        [APT_HELPER, "cat-file", path], stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
    ) as process:
        fields, name = {}, None
        for line in process.stdout:
            line = line.rstrip("\n")
            if not line:
                if fields:
                    yield fields
                fields, name = {}, None
            elif line[0] in " \t":
                fields[name] += "\n" + line
            else:
                name, value = line.split(":", 1)
                fields[name] = value.strip()
        if fields:
            yield fields
    if process.returncode != 0:
        raise Failure(f"{path}: apt-helper cat-file ended with {process.returncode}")


def parse_tags(field):
    """The tags of a Tag field in order: 'a::b, c::{d,e},\\n f::g' is a::b, c::d, c::e, f::g. What is special:: tells
    how far the tagging has come, not what the package is."""
    tags = []
    for item in re.split(r",(?![^{]*\})", field):
        item = item.strip()
        group = re.fullmatch(r"(.*)\{(.*)\}", item, re.DOTALL)
        names = [group[1] + part.strip() for part in group[2].split(",")] if group else [item]
        tags += [name for name in names if name and not name.startswith("special::")]
    return list(dict.fromkeys(tags))


def plain_text(description):
    """A description as it is meant to be read: without the leading spaces, '.' alone is an empty line."""
    lines = [line[1:] if line[:1] == " " else line for line in description.split("\n")]
    return "\n".join("" if line.strip() == "." else line.rstrip() for line in lines).strip()


def read_documents(lists):
    """One document per package name with at least one tag, by name; the first stanza of a package counts."""
    long_descriptions = {}
    for path in sorted(lists.glob("*_Translation-en*")):
        for fields in stanzas(path):
            key = fields["Package"], fields.get("Description-md5")
            long_descriptions.setdefault(key, fields.get("Description-en", ""))

    documents, seen = [], set()
    for path in sorted(lists.glob("*_Packages*")):
        for fields in stanzas(path):
            package = fields["Package"]
            if package in seen:
                continue
            seen.add(package)
            tags = parse_tags(fields.get("Tag", ""))
            if not tags:
                continue
            description = long_descriptions.get((package, fields.get("Description-md5"))) or fields["Description"]
            source = fields.get("Source", package).split(" (")[0]
            documents.append((source, {"id": package, "text": plain_text(description), "labels": tags}))
    documents.sort(key=lambda document: document[1]["id"])
    return documents


def is_test(source):
    return int(hashlib.sha256(source.encode("utf-8")).hexdigest(), 16) % TEST_ONE_IN == 0


def write_atomically(path, documents):
    """Writes JSON lines beside path and renames, so that a file of this name is always whole."""
    beside = path.with_name(path.name + ".partial")
    with contextlib.ExitStack() as on_failure:
        on_failure.callback(beside.unlink, missing_ok=True)
        with open(beside, "w", encoding="utf-8") as file:
            for document in documents:
                file.write(json.dumps(document, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)


def read_jsonl(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def percentiles(values):
    """'1 / 2 / 3': the given parts of the values are at most so large."""
    values = sorted(values)
    return " / ".join(str(values[min(len(values) - 1, len(values) * part // 100)]) for part in (5, 25, 50, 75, 95, 99))


def print_counts(training, test):
    documents = training + test
    label_counts = [len(document["labels"]) for document in documents]
    word_counts = [len(document["text"].split()) for document in documents]
    frequency = collections.Counter(label for document in training for label in document["labels"])
    unseen = {label for document in test for label in document["labels"]} - set(frequency)
    print(f"documents            {len(documents)} ({len(training)} for training, {len(test)} for test)")
    print(f"labels               {len(set(frequency) | unseen)} ({len(unseen)} of them only in the test part)")
    print(f"labels seen          1 time {sum(n == 1 for n in frequency.values())}, "
          f"under 5 times {sum(n < 5 for n in frequency.values())} (training part)")
    print(f"labels per document  mean {statistics.mean(label_counts):.2f}, max {max(label_counts)}")
    print(f"                     5 / 25 / 50 / 75 / 95 / 99 %: {percentiles(label_counts)}")
    print(f"words per document   mean {statistics.mean(word_counts):.1f}, max {max(word_counts)}")
    print(f"                     5 / 25 / 50 / 75 / 95 / 99 %: {percentiles(word_counts)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).parent / "data",
                        help="folder for debtags.train.jsonl and debtags.test.jsonl (default: %(default)s)")
    parser.add_argument("--refresh", action="store_true", help="collect again even if the files exist")
    options = parser.parse_args()

    training_path = options.output / "debtags.train.jsonl"
    test_path = options.output / "debtags.test.jsonl"
    if options.refresh or not (training_path.exists() and test_path.exists()):
        if not os.path.exists(APT_HELPER):
            raise Failure(f"{APT_HELPER} is missing: the corpus is made from the package index of a Debian system")
        options.output.mkdir(parents=True, exist_ok=True)
        print("fetching the package index ...", flush=True)
        with tempfile.TemporaryDirectory(dir=options.output, prefix="lists.") as folder:
            folder = pathlib.Path(folder).resolve()
            fetch_lists(folder)
            documents = read_documents(folder / "lists")
        if not documents:
            raise Failure("the package index holds no tagged package: is a Debian archive among the apt sources?")
        write_atomically(test_path, [document for source, document in documents if is_test(source)])
        write_atomically(training_path, [document for source, document in documents if not is_test(source)])
    print_counts(read_jsonl(training_path), read_jsonl(test_path))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"error: {failure}")
