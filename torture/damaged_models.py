"""Model folders and checkpoints that are damaged: an error that says so, or the answer of the whole one."""

import os
import shutil

import mutations
import scenarios
import subjects
from runner import complaint

FOLDERS = ["network", "hybrid", "linear", "refit"]


def files_of(model):
    return [path for path in sorted(model.rglob("*")) if path.is_file() and path.name not in subjects.IGNORED]


def harm_names(model, choose, other):
    """Files that are missing, exchanged, of another model, or not files at all."""
    files = files_of(model)
    path = choose.choice(files)
    how = choose.choice(["missing", "exchanged", "of another model", "a folder", "a pipe", "a loop", "unreadable",
                         "a hole"])
    if how == "missing":
        path.unlink()
    elif how == "exchanged":
        second = choose.choice([file for file in files if file != path])
        path.rename(model / "for a moment")
        second.rename(path)
        (model / "for a moment").rename(second)
    elif how == "of another model":
        same = other / path.relative_to(model)
        shutil.copyfile(same if same.exists() else choose.choice(files_of(other)), path)
    else:
        path.unlink()
        if how == "a folder":
            path.mkdir()
        elif how == "a pipe":
            os.mkfifo(path)
        elif how == "a loop":
            path.symlink_to(path.name)
        elif how == "unreadable":
            path.symlink_to("/proc/self/mem")
        else:
            with open(path, "wb") as file:
                file.truncate(3 << 30)
    return f"{path.relative_to(model)} is {how}"


def damage(model, choose, other):
    """Damages the folder in one place, or in a few; returns what was done."""
    if choose.random() < 0.2:
        return harm_names(model, choose, other)
    done = []
    for _ in range(choose.choice([1, 1, 1, 1, 3])):
        path = choose.choice(files_of(model))
        # Parts of a file that are small count as much as large ones: half of all damage is at the beginning.
        content = path.read_bytes()
        front = min(len(content), 600)
        if front and choose.random() < 0.4:
            how, head = mutations.mutate(content[:front], choose)
            path.write_bytes(head + content[front:])
        else:
            how, content = mutations.mutate(content, choose)
            path.write_bytes(content)
        done.append(f"{path.relative_to(model)}: {how}")
    return "; ".join(done)


def judge_model(torture, models, number):
    choose = torture.choose("models", number)
    kind = choose.choice(FOLDERS)
    whole = models.folder(kind)
    folder = torture.new_folder()
    shutil.copytree(whole / "model", folder / "model")
    other = models.folder(choose.choice([name for name in FOLDERS if name != kind])) / "model"
    done = damage(folder / "model", choose, other)
    outcome = models.predict(folder / "model")
    torture.count("models")
    torture.note(f"damaged {kind}, {done}", outcome)
    wrong = complaint(outcome)
    if not wrong and outcome.code == 0 and outcome.out != models.answers[kind]:
        wrong = "a silently different answer"
    shutil.rmtree(folder)
    return wrong and f"{kind}, {done}: {wrong}"


def judge_checkpoint(torture, scenario, number):
    choose = torture.choose("checkpoints", number)
    folder = torture.new_folder()
    scenario.start(folder)
    done = damage(folder / "model", choose, scenario.models.folder("linear") / "model")
    outcome = torture.run(scenario.arguments(folder))
    torture.count("checkpoints")
    torture.note(f"damaged checkpoint, {done}", outcome)
    wrong = complaint(outcome)
    if not wrong and outcome.code == 0:
        different = scenario.wrong(folder, outcome)
        wrong = different and f"silently another model: {different}"
    shutil.rmtree(folder)
    return wrong and f"{scenario.name}, {done}: {wrong}"


def run(torture, models, until, most=None, only=None):
    for kind in FOLDERS:
        models.folder(kind)

    def work(number):
        wrong = judge_model(torture, models, number)
        if wrong:
            torture.found("models", number, wrong)

    torture.each("models", [int(only)] if only else range(1 << 30), work, until, most)


def run_checkpoints(torture, models, until, most=None, only=None):
    some = [scenarios.Resuming(models, "hybrid"), scenarios.Resuming(models, "network")]
    for scenario in some:
        scenario.prepare()
    models.folder("linear")

    def work(number):
        wrong = judge_checkpoint(torture, some[number % len(some)], number)
        if wrong:
            torture.found("checkpoints", number, wrong)

    torture.each("checkpoints", [int(only)] if only else range(1 << 30), work, until, most)
