"""A small corpus, small models, and how two models are compared."""

import hashlib
import json
import random
import re
import shutil

LABELS = 6
SMALL = ["model.hidden=8", "model.word_embedding=8", "model.label_embedding=8", "model.encoder_layers=1",
         "model.max_words=10", "model.light_conv.kernels=2,3", "training.epochs=2", "training.batch=12",
         "training.learning_rate=0.05"]
# What differs from run to run: how long things took, and how much memory.
TIMES = re.compile(r'"(seconds|\w+_seconds|documents_per_second|peak_memory_bytes)":\s*[-+.\deE]+')
IGNORED = {".lock"}


def documents(count, seed):
    choose = random.Random(seed)
    for number in range(count):
        labels = choose.sample(range(LABELS), choose.randint(1, 3))
        words = [f"topic{label}x{choose.randint(0, 1)}" for label in labels for _ in range(2)]
        choose.shuffle(words)
        yield f"d{number}", " ".join(words), [f"label {label}" for label in labels]


def jsonl(count, seed):
    lines = (json.dumps({"id": name, "text": text, "labels": labels}) for name, text, labels in documents(count, seed))
    return "\n".join(lines) + "\n"


def train_arguments(folder, *more):
    settings = [word for setting in SMALL for word in ("--set", setting)]
    return ["train", "--data", folder / "data.jsonl", "--model", folder / "model", *settings, "--threads", "1",
            "--checkpoint-minutes", "0", *more]


KINDS = {
    "network": [],
    "hybrid": ["--hybrid"],
    "linear": ["--variant", "linear"],
    "refit": ["--hybrid", "--refit", "--seeds", "1,2", "--set", "training.epochs=1"],
}


class Models:
    """Undisturbed models of every kind, trained once, and what they answer."""

    def __init__(self, torture):
        self.torture = torture
        self.folders, self.prints, self.answers = {}, {}, {}
        self.data = torture.folder / "documents"
        self.data.mkdir()
        (self.data / "data.jsonl").write_text(jsonl(24, 1), encoding="utf-8")
        (self.data / "new.jsonl").write_text(jsonl(20, 2), encoding="utf-8")

    def folder(self, kind):
        if kind not in self.folders:
            folder = self.torture.folder / f"whole_{kind}"
            shutil.copytree(self.data, folder)
            outcome = self.torture.run(train_arguments(folder, *KINDS[kind]), seconds=120)
            if outcome.code != 0:
                raise RuntimeError(f"cannot train: {outcome.err}")
            self.prints[kind] = fingerprint(folder / "model")
            self.answers[kind] = self.predict(folder / "model").out
            self.folders[kind] = folder
        return self.folders[kind]

    def predict(self, model, **how):
        return self.torture.run(predict_arguments(model, self.data / "new.jsonl"), **how)


def predict_arguments(model, data):
    return ["predict", "--model", model, "--data", data, "--top-k", "3", "--threads", "1"]


def fingerprint(model):
    """A text for each file, the same for the same model."""
    prints = {}
    for path in sorted(model.rglob("*")):
        name = str(path.relative_to(model))
        if path.is_dir() or path.name in IGNORED:
            continue
        content = path.read_bytes()
        if path.name in ("metrics.json", "log.jsonl", "linear.json"):
            content = TIMES.sub("", content.decode()).encode()
        if path.name == "SHA256SUMS":
            content = list_print(path)
        prints[name] = hashlib.sha256(content).hexdigest()
    return prints


def list_print(path):
    """The names in a list of sums, in which a wrong sum shows; some of the files themselves hold times."""
    names = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        file = path.parent / name
        right = file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == digest
        names.append(name if right else f"{name} is wrong")
    return "\n".join(names).encode()


def difference(prints, wanted):
    """Nothing, or a text that says in which files two models differ."""
    told = [f"{name} is missing" for name in sorted(wanted.keys() - prints.keys())]
    told += [f"{name} is too many" for name in sorted(prints.keys() - wanted.keys())]
    told += [f"{name} differs" for name in sorted(wanted.keys() & prints.keys()) if prints[name] != wanted[name]]
    return ", ".join(told) or None


def half_written(model):
    """Files under their final names that are not whole."""
    broken = []
    for path in sorted(model.rglob("*")) if model.exists() else []:
        if path.is_dir() or path.name in IGNORED or ".tmp" in path.name:
            continue
        content = path.read_bytes()
        try:
            if path.suffix == ".json":
                json.loads(content)
            elif path.suffix == ".jsonl":
                [json.loads(line) for line in content.splitlines()]
                assert content.endswith(b"\n")
            elif path.suffix == ".safetensors":
                length = int.from_bytes(content[:8], "little")
                header = json.loads(content[8:8 + length])
                ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
                assert len(content) == 8 + length + max(ends)
        except (ValueError, AssertionError):
            broken.append(str(path.relative_to(model)))
    return broken
