"""The runs that are disturbed: what they start with, what they do, and what must be true afterwards.

A scenario has: start(folder), which lays out the files; arguments(folder); halfway(folder), what is wrong right after a
failure; wrong(folder, outcome), what is wrong after a success. `prepare` makes what it is compared with.
"""

import functools
import shutil

import serving_faults
import subjects


class Training:
    """A training from nothing, with a checkpoint after every step."""

    def __init__(self, models, kind):
        self.models, self.kind, self.torture = models, kind, models.torture
        self.name = f"train_{kind}"

    def prepare(self):
        self.models.folder(self.kind)

    def start(self, folder):
        shutil.copytree(self.models.data, folder, dirs_exist_ok=True)

    def arguments(self, folder):
        return subjects.train_arguments(folder, *subjects.KINDS[self.kind], "--resume")

    def halfway(self, folder):
        broken = subjects.half_written(folder / "model")
        return f"half-written: {', '.join(broken)}" if broken else None

    def wrong(self, folder, _):
        return subjects.difference(subjects.fingerprint(folder / "model"), self.models.prints[self.kind])


class Resuming(Training):
    """A training that goes on from a checkpoint in its first epoch."""

    def __init__(self, models, kind):
        super().__init__(models, kind)
        self.name = f"resume_{kind}"

    def prepare(self):
        super().prepare()
        self.begun = self.torture.folder / f"begun_{self.kind}"
        if not self.begun.exists():
            super().start(self.begun)
            arguments = subjects.train_arguments(self.begun, *subjects.KINDS[self.kind], "--max-minutes", "0")
            outcome = self.torture.run(arguments, seconds=120)
            if outcome.code != 0:
                raise RuntimeError(f"cannot begin to train: {outcome.err}")

    def start(self, folder):
        shutil.copytree(self.begun, folder, dirs_exist_ok=True)


class Tuning:
    """A new set rule for a model that is there."""

    def __init__(self, models):
        self.models, self.torture = models, models.torture
        self.name = "tune"

    def prepare(self):
        folder = self.torture.folder / "tuned"
        if folder.exists():
            return
        self.start(folder)
        self.torture.run(self.arguments(folder))
        self.before = self.models.predict(self.models.folder("hybrid") / "model").out
        self.after = self.models.predict(folder / "model").out
        self.prints = subjects.fingerprint(folder / "model")

    def start(self, folder):
        shutil.copytree(self.models.folder("hybrid"), folder, dirs_exist_ok=True)

    def arguments(self, folder):
        return ["tune", "--model", folder / "model", "--data", folder / "new.jsonl", "--threads", "1"]

    def halfway(self, folder):
        outcome = self.models.predict(folder / "model")
        if outcome.code != 0 or outcome.out not in (self.before, self.after):
            return f"the model does not answer as before or after: {outcome.last_line()}"
        return None

    def wrong(self, folder, _):
        return subjects.difference(subjects.fingerprint(folder / "model"), self.prints)


class Converting:
    """Documents into another format, over a file that is there."""

    name = "convert"
    old = "what was there before\n"

    def __init__(self, models):
        self.models, self.torture = models, models.torture

    def prepare(self):
        folder = self.torture.folder / "converted"
        if not folder.exists():
            self.start(folder)
            self.torture.run(self.arguments(folder))
            self.new = (folder / "out.txt").read_text(encoding="utf-8")

    def start(self, folder):
        shutil.copytree(self.models.data, folder, dirs_exist_ok=True)
        (folder / "out.txt").write_text(self.old, encoding="utf-8")

    def arguments(self, folder):
        return ["convert", "--data", folder / "data.jsonl", "--to", "annif-tsv", "--out", folder / "out.txt"]

    def halfway(self, folder):
        there = (folder / "out.txt").read_text(encoding="utf-8")
        return None if there in (self.old, self.new) else "out.txt is neither the old file nor the new one"

    def wrong(self, folder, _):
        return None if (folder / "out.txt").read_text(encoding="utf-8") == self.new else "out.txt differs"


class Predicting:
    """Answers for a file of documents. Nothing is written; an answer must be the right one."""

    def __init__(self, models, kind):
        self.models, self.kind, self.torture = models, kind, models.torture
        self.name = f"predict_{kind}"

    def prepare(self):
        self.models.folder(self.kind)

    def start(self, folder):
        shutil.copytree(self.models.folder(self.kind), folder, dirs_exist_ok=True)

    def arguments(self, folder):
        return subjects.predict_arguments(folder / "model", folder / "new.jsonl")

    def halfway(self, _):
        return None

    def wrong(self, _, outcome):
        return None if outcome.out == self.models.answers[self.kind] else "a silently different answer"


@functools.cache
def all_of(models):
    """Always the same, for the same models."""
    most = [Training(models, "hybrid"), Tuning(models), Converting(models), Predicting(models, "hybrid"),
            serving_faults.Serving(models)]
    if models.torture.short:
        return most
    return [*most, Training(models, "refit"), Training(models, "linear"), Resuming(models, "network"),
            Predicting(models, "refit"), Predicting(models, "linear")]
