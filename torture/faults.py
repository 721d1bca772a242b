"""Every system call of training, tuning, converting, predicting and serving goes wrong once, each in every way.

After each fault the program has either succeeded or ended with one clear line and code 1; no file under its final name
is half-written, no temporary file stays; and once the fault is gone the same command ends with the bytes of a run that
was never disturbed.

Where memory is short, a library may end the program with a signal, as ICU and the destructors of LibTorch and of the
JSON library do; and where there is none left at all, ICU may go on for ever. Both are judged like a kill, and counted.
"""

import collections
import concurrent.futures
import shutil
import time

import scenarios
from runner import Fault, complaint

# The ways in which a call may fail. A full disk and a broken one stay so: those faults go on.
ERRORS = {
    "openat": ["EIO", "EACCES", "EMFILE"],
    "read": ["EIO", "EINTR", "short"],
    "pread": ["EIO"],
    "write": ["ENOSPC", "EIO", "EINTR", "short"],
    "pwrite": ["ENOSPC", "EIO"],
    "fsync": ["EIO"],
    "close": ["EIO"],
    "rename": ["EIO", "ENOSPC"],
    "mmap": ["ENOMEM"],
    "flock": ["ENOLCK"],
    "link": ["EPERM"],
    "mkdir": ["ENOSPC"],
    "statfs": ["EIO"],
}
OTHERS = ["EIO"]
# Boost.Asio does not look whether it may wait for its own wake-up descriptor, and would wait for ever.
LEFT_OUT = {"epoll_ctl"}
GO_ON = {"write": ["ENOSPC", "EIO"], "openat": ["EIO", "ENOSPC"]}
KILLED = 128 + 9
CRASHED = (128 + 6, 128 + 11)
ALLOCATIONS = 400  # of a scenario, which has thousands: those that the seed chooses
INSTANTS = 1000


def ways(call):
    """(deed, from then on) for a call of this name."""
    for error in ERRORS.get(call, OTHERS):
        yield error, False
    for error in GO_ON.get(call, []):
        yield error, True


def faults_of(points, count):
    """points: the names of the calls in their order."""
    for at, call in enumerate(points, 1):
        if call in LEFT_OUT:
            continue
        if count in ("memory", "allocation"):
            for go_on in (False, True):
                yield Fault(at, "EAGAIN" if call.startswith("clone") else "ENOMEM", count, go_on)
            continue
        for deed, go_on in ways(call):
            yield Fault(at, deed, count, go_on)


def read_trace(path, fault):
    """(call, file) of every call that was counted; the one that was struck, or nothing."""
    if fault.count == "allocation":  # a program that was killed has not told how many
        number = int(path.read_text(encoding="utf-8")) if path.exists() else fault.at
        return [("malloc", "")] * number, ("malloc", fault.at) if fault.at <= number else None
    calls, struck = [], None
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        _, call, file, hit = line.split("\t")
        calls.append((call, file))
        if hit and struck is None:
            struck = (call, file)
    return calls, struck


def counts_of(scenario):
    return getattr(scenario, "counts", ["file", "memory", "allocation"])


def points_of(torture, scenario, count):
    """The calls of an undisturbed run."""
    folder = torture.new_folder()
    scenario.start(folder)
    trace = torture.folder / f"points_{scenario.name}_{count}"
    fault = Fault(0, "count", count)
    outcome = play(torture, scenario, folder, fault=fault, trace=trace)
    if outcome.code != 0 or scenario.wrong(folder, outcome):
        raise RuntimeError(f"{scenario.name} under no fault: {outcome.err} {scenario.wrong(folder, outcome)}")
    shutil.rmtree(folder)
    return [call for call, _ in read_trace(trace, fault)[0]]


def play(torture, scenario, folder, **how):
    if hasattr(scenario, "play"):
        return scenario.play(folder, **how)
    return torture.run(scenario.arguments(folder), root=folder, **how)


def strays(folder):
    return [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if ".tmp" in path.name]


def afterwards(torture, scenario, folder):
    """Nothing, or what is wrong once the same command has run again, without faults."""
    again = play(torture, scenario, folder)
    wrong = complaint(again) or (scenario.wrong(folder, again) if again.code == 0 else again.last_line())
    if wrong:
        return f"afterwards, without faults: {wrong}"
    return f"afterwards there is still {', '.join(strays(folder))}" if strays(folder) else None


def judge(torture, scenario, fault):
    """Plays the scenario under the fault. Nothing, or what is wrong."""
    folder = torture.new_folder()
    scenario.start(folder)
    trace = torture.folder / f"{folder.name}.trace"
    outcome = play(torture, scenario, folder, fault=fault, trace=trace)
    struck = read_trace(trace, fault)[1]
    trace.unlink(missing_ok=True)
    killed = fault.deed in ("kill", "tear") and outcome.code == KILLED
    if struck:
        torture.count("kills" if killed else "faults")
    if fault.count in ("memory", "allocation") and (outcome.code in CRASHED or outcome.hung and fault.from_then_on):
        torture.count("died for want of memory")
        killed = True
    about = f"{scenario.name}, {fault.deed}{' from then on' if fault.from_then_on else ''} at {struck}"
    if not killed:
        torture.note(about, outcome)
        after = scenario.halfway(folder) if outcome.code != 0 else scenario.wrong(folder, outcome)
        wrong = complaint(outcome) or after
        if wrong:
            return f"{about}: {wrong}"
        removing = struck and struck[0].startswith(("unlink", "rename")) or fault.from_then_on
        if strays(folder) and not removing:
            return f"{about}: left {', '.join(strays(folder))}"
    elif scenario.halfway(folder):
        return f"{about}: {scenario.halfway(folder)}"
    wrong = afterwards(torture, scenario, folder) if killed or outcome.code != 0 else None
    shutil.rmtree(folder)
    return wrong and f"{about}: {wrong}"


def groups_of(torture, some):
    """For each scenario and each way to count, its faults in an order that the seed shuffles."""
    def group(scenario, count):
        faults = list(faults_of(points_of(torture, scenario, count), count))
        torture.choose("faults", scenario.name, count).shuffle(faults)
        return [(scenario.name, fault) for fault in faults[:ALLOCATIONS if count == "allocation" else None]]

    for scenario in some:
        scenario.prepare()
    pairs = [(scenario, count) for scenario in some for count in counts_of(scenario)]
    with concurrent.futures.ThreadPoolExecutor(torture.jobs) as pool:
        return list(pool.map(group, *zip(*pairs)))


class InTurn:
    """The next case is one of the group that has had the least time: groups that are small or quick are done completely,
    the others as far as time allows."""

    def __init__(self, groups):
        self.left = [list(reversed(group)) for group in groups]
        self.spent = [0.0] * len(groups)
        self.group_of = {id(case): number for number, group in enumerate(groups) for case in group}

    def __iter__(self):
        return self

    def __next__(self):
        some = [number for number, cases in enumerate(self.left) if cases]
        if not some:
            raise StopIteration
        number = min(some, key=self.spent.__getitem__)
        self.spent[number] += 0.01  # others are to have their turn before the first is done
        return self.left[number].pop()

    def timed(self, work):
        """The same work, whose time counts."""
        def work_and_count(case):
            start = time.monotonic()
            work(case)
            self.spent[self.group_of[id(case)]] += time.monotonic() - start
        return work_and_count


def run(torture, models, until, most=None, only=None):
    """All faults, in an order that the seed shuffles. Returns how many of which were tried."""
    by_name = {scenario.name: scenario for scenario in scenarios.all_of(models)}
    if only:
        name, count, at, deed, *on = only.split(":")
        by_name[name].prepare()
        groups = [[(name, Fault(int(at), deed, count, bool(on)))]]
    else:
        groups = groups_of(torture, by_name.values())
    there_are = collections.Counter(name for group in groups for name, _ in group)
    cases = InTurn(groups)

    def work(case):
        name, fault = case
        wrong = judge(torture, by_name[name], fault)
        done[name] += 1
        if wrong:
            torture.found("faults", f"{name}:{fault}", wrong)

    done = collections.Counter()
    torture.each("faults", cases, cases.timed(work), until, most)
    return ", ".join(f"{name} {done[name]:,} of {number:,}" for name, number in there_are.items())


def kills_of(torture, scenario):
    cases = []
    for at, call in enumerate(points_of(torture, scenario, "file"), 1):
        deeds = ["kill", "tear"] if call in ("write", "pwrite") else ["kill"]
        cases += [(scenario.name, Fault(at, deed)) for deed in deeds]
    torture.choose("kills", scenario.name).shuffle(cases)
    return cases


def run_kills(torture, models, until, most=None, only=None):
    """Kills before every call, in the middle of every write, and at random instants."""
    runs = [scenario for scenario in scenarios.all_of(models) if not scenario.name.startswith(("predict", "serve"))]
    by_name = {scenario.name: scenario for scenario in runs}
    if only:
        name, count, at, deed = only.split(":")
        by_name[name].prepare()
        groups = [[(name, Fault(int(at), deed, count))]]
    else:
        for scenario in runs:
            scenario.prepare()
        groups = [kills_of(torture, scenario) for scenario in runs]
        groups.append([(name, Fault(number, "instant")) for number in range(INSTANTS)
                       for name in by_name if name.startswith(("train", "resume"))])
    cases = InTurn(groups)

    def work(case):
        name, fault = case
        scenario = by_name[name]
        at_instants = fault.deed == "instant"
        wrong = kill_at_instants(torture, scenario, fault.at) if at_instants else judge(torture, scenario, fault)
        if wrong:
            torture.found("kills", f"{name}:{fault}", wrong)

    torture.each("kills", cases, cases.timed(work), until, most)


def kill_at_instants(torture, scenario, number):
    """A run that is killed at a random instant, begun again and killed again, and at last left alone."""
    choose = torture.choose("instants", scenario.name, number)
    folder = torture.new_folder()
    scenario.start(folder)
    for _ in range(2):
        seconds = choose.uniform(0.05, 1.5)
        outcome = torture.run(scenario.arguments(folder), kill_after=seconds)
        torture.count("kills", outcome.code == KILLED)
        if outcome.code not in (0, KILLED):
            return f"{scenario.name}, before it was killed after {seconds:.3f} s: {outcome.last_line()}"
        if scenario.halfway(folder):
            return f"{scenario.name}, killed after {seconds:.3f} s: {scenario.halfway(folder)}"
    wrong = afterwards(torture, scenario, folder)
    shutil.rmtree(folder)
    return wrong and f"{scenario.name}, killed at random instants: {wrong}"
