"""What a power cut may leave, at every moment of a run, and whether the run can go on from there.

The fault injector writes down what a program does to its files (recorder.h). A power cut keeps for certain what was
synced: the bytes of a file by a sync of the file, a name by a sync of its folder. Of everything else any part may be
lost, in any order. For every moment these states are made:

  least   nothing that is not certain          names   all names, no bytes that are not certain
  most    everything                           bytes   all bytes, no names that are not certain
  torn    names up to a random one; each file's bytes up to a random one, torn there
  mixed   any of the names; of each file any of the writes, others zero, the last torn
"""

import dataclasses
import hashlib
import os
import pathlib
import shutil

import scenarios
from runner import complaint

MODES = ["least", "names", "bytes", "most", "torn", "mixed"]
SECTOR = 512


@dataclasses.dataclass
class Change:
    """A change of names (`entries`: path -> file, "folder" or None) or of a file's bytes."""
    entries: dict
    file: int = 0
    offset: int = 0
    data: bytes = None      # None with a file: cut at offset
    certain_from: int = 0   # the moment from which it survives; 0: never

    def is_name(self):
        return bool(self.entries)


class Record:
    """The changes of a run in their order, and what was there before."""

    def __init__(self, file, root):
        """To be made before the run: remembers what the folder holds. `read` is for afterwards."""
        self.file, self.root = file, str(root)
        self.before = {str(path): path.read_bytes() if path.is_file() else None for path in root.rglob("*")}
        self.known = {}        # file -> its path before the run
        self.changes = []
        self.moments = [0]     # numbers of changes after which the power may go: there are as many as calls
        self.names = {}        # path -> file, as it is while reading

    def read(self):
        data = pathlib.Path(f"{self.file}.data").read_bytes()
        used = 0
        for line in pathlib.Path(self.file).read_text(encoding="utf-8").splitlines():
            what, *fields = line.split("\t")
            if what in ("create", "known"):
                number, path = int(fields[0]), fields[1]
                if what == "known":
                    self.known[number] = path
                    self.names[path] = number
                    continue
                self.names[path] = number
                self._name({path: number})
            elif what == "write":
                number, offset, length = map(int, fields)
                self.changes.append(Change({}, number, offset, data[used:used + length]))
                used += length
            elif what == "truncate":
                self.changes.append(Change({}, int(fields[0]), int(fields[1])))
            elif what == "sync":
                self._certain(lambda change: change.file == int(fields[0]))
            elif what == "sync_folder":
                self._certain(lambda change: change.is_name() and all(
                    os.path.dirname(path) == fields[0] for path in change.entries))
            elif what in ("rename", "link"):
                moved = self.names.get(fields[0], 0)
                entries = {fields[1]: moved}
                self.names[fields[1]] = moved
                if what == "rename":
                    entries[fields[0]] = None
                    self.names.pop(fields[0], None)
                self._name(entries)
            elif what == "mkdir":
                self._name({fields[0]: "folder"})
            elif what in ("unlink", "rmdir"):
                self.names.pop(fields[0], None)
                self._name({fields[0]: None})
            else:
                raise RuntimeError(f"a change that is not understood: {line}")
            self.moments.append(len(self.changes))

    def _name(self, entries):
        self.changes.append(Change(entries))

    def _certain(self, concerned):
        for change in self.changes:
            if concerned(change) and change.certain_from == 0:
                change.certain_from = len(self.moments)

    def state(self, moment, mode, choose):
        """path -> content, None for a folder; as it may be when the power goes at this moment."""
        happened = self.changes[:self.moments[moment]]
        certain = [0 < change.certain_from <= moment for change in happened]
        kept = [sure or self._keeps(mode, change) for sure, change in zip(certain, happened)]
        if mode in ("torn", "mixed"):
            self._choose_names(mode, happened, certain, kept, choose)
        contents = {number: bytearray(self.before[path]) for number, path in self.known.items()
                    if self.before.get(path) is not None}
        cut = {}  # file -> uncertain writes that are left of it
        for change, sure, keep in zip(happened, certain, kept):
            if change.is_name():
                continue
            if not sure and mode == "torn":
                left = cut.setdefault(change.file, choose.randint(0, 3))
                cut[change.file] -= 1
                keep = left > 0
                if left == 1:
                    change = torn(change, choose)
            elif not sure and mode == "mixed":
                keep = choose.random() < 0.5
                if keep and choose.random() < 0.3:
                    change = torn(change, choose)
            if keep:
                write(contents.setdefault(change.file, bytearray()), change)
            elif mode == "mixed" and change.data is not None:
                zeros = dataclasses.replace(change, data=bytes(len(change.data)))
                write(contents.setdefault(change.file, bytearray()), zeros)
        return self._namespace(happened, kept, contents)

    @staticmethod
    def _keeps(mode, change):
        return mode == "most" or mode == ("names" if change.is_name() else "bytes")

    @staticmethod
    def _choose_names(mode, happened, certain, kept, choose):
        uncertain = [i for i, change in enumerate(happened) if change.is_name() and not certain[i]]
        some = uncertain[:choose.randint(0, len(uncertain))] if mode == "torn" else [
            i for i in uncertain if choose.random() < 0.5]
        for i in some:
            kept[i] = True

    def _namespace(self, happened, kept, contents):
        known = {path: number for number, path in self.known.items()}
        names = {path: "folder" if content is None else known.get(path, content)
                 for path, content in self.before.items()}
        for change, keep in zip(happened, kept):
            if not change.is_name() or not keep:
                continue
            for path, file in change.entries.items():
                if file is None:
                    names.pop(path, None)
                else:
                    names[path] = file
        state = {}
        for path, file in names.items():
            content = None if file == "folder" else file if isinstance(file, bytes) else bytes(contents.get(file, b""))
            state[os.path.relpath(path, self.root)] = content
        return {path: content for path, content in state.items() if parents_are_there(path, state)}


def parents_are_there(path, state):
    parent = os.path.dirname(path)
    return not parent or (parent in state and parents_are_there(parent, state))


def torn(change, choose):
    """Only the first sectors of a write."""
    if change.data is None:
        return change
    sectors = len(change.data) // SECTOR
    return dataclasses.replace(change, data=change.data[:choose.randint(0, sectors) * SECTOR])


def write(content, change):
    if change.data is None:
        del content[change.offset:]
        return
    content.extend(bytes(max(0, change.offset + len(change.data) - len(content))))
    content[change.offset:change.offset + len(change.data)] = change.data


def record(torture, scenario):
    """Plays the scenario undisturbed and reads what was written down."""
    scenario.prepare()
    folder = torture.new_folder()
    scenario.start(folder)
    recorded = Record(torture.folder / f"record_{scenario.name}", folder)
    outcome = torture.run(scenario.arguments(folder), root=folder, record=recorded.file)
    if outcome.code != 0 or scenario.wrong(folder, outcome):
        raise RuntimeError(f"{scenario.name} under no fault: {outcome.err}")
    recorded.read()
    return recorded


def lay_out(folder, state):
    for path, content in sorted(state.items()):
        if content is None:
            (folder / path).mkdir(exist_ok=True)
        else:
            (folder / path).write_bytes(content)


def judge(torture, scenario, recorded, moment, mode, seen):
    """Nothing, or what is wrong with the state that the power cut leaves. A state that was seen before is not tried."""
    state = recorded.state(moment, mode, torture.choose("power", scenario.name, moment, mode))
    ended = moment == len(recorded.moments) - 1
    key = hashlib.sha256(repr((scenario.name, ended, sorted(state.items()))).encode()).digest()
    if key in seen:
        return None
    seen.add(key)
    folder = torture.new_folder()
    lay_out(folder, state)
    about = f"{scenario.name}, the power goes after change {moment} of {len(recorded.moments) - 1}, {mode}"
    if ended:
        wrong = scenario.wrong(folder, None) if folder_is_there(scenario, folder) else "nothing is left of it"
        if wrong and set(wrong.split(", ")) - {"training_state.safetensors is too many"}:
            return f"{about}: it was told to be done, but {wrong}"
    elif scenario.halfway(folder):
        return f"{about}: {scenario.halfway(folder)}"
    again = torture.run(scenario.arguments(folder))
    torture.count("power")
    wrong = complaint(again) or (scenario.wrong(folder, again) if again.code == 0 else again.last_line())
    if wrong:
        return f"{about}: afterwards: {wrong}"
    shutil.rmtree(folder)
    return None


def folder_is_there(scenario, folder):
    return (folder / "model").exists() or scenario.name == "convert"


def run(torture, models, until, most=None, only=None):
    """Every moment in every mode, in an order that the seed shuffles."""
    by_name = {scenario.name: scenario for scenario in scenarios.all_of(models)
               if not scenario.name.startswith(("predict", "serve"))}
    seen = set()
    if only:
        name, moment, mode = only.split(":")
        cases = [(name, int(moment), mode)]
        records = {name: record(torture, by_name[name])}
    else:
        records = {name: record(torture, scenario) for name, scenario in by_name.items()}
        cases = [(name, moment, mode) for name, recorded in records.items()
                 for moment in range(len(recorded.moments)) for mode in MODES]
        torture.choose("power").shuffle(cases)

    def work(case):
        name, moment, mode = case
        wrong = judge(torture, by_name[name], records[name], moment, mode, seen)
        if wrong:
            torture.found("power", f"{name}:{moment}:{mode}", wrong)

    torture.each("power", cases, work, until, most)
