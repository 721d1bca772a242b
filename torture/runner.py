"""Runs the program, with or without faults, and says how it went."""

import collections
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import random
import resource
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time

HANG_SECONDS = 10      # a program that takes longer hangs, on a machine that does nothing else
MOST_MEMORY_MB = 500
ADDRESS_SPACE = 12 << 30  # the machine is used by others too


@dataclasses.dataclass
class Fault:
    """One system call that goes wrong: the number of the call, and what happens to it."""
    at: int
    deed: str                   # kill, tear, short, or the name of an error
    count: str = "file"         # the calls that are counted: file, memory, net; or allocation, which is no system call
    from_then_on: bool = False

    def __str__(self):
        return f"{self.count}:{self.at}:{self.deed}{':on' if self.from_then_on else ''}"

    def options(self):
        more = ["--from-then-on"] if self.from_then_on else []
        return ["--count", self.count, "--at", str(self.at), "--do", self.deed, *more]


@dataclasses.dataclass
class Outcome:
    code: int
    out: bytes
    err: str
    seconds: float
    memory_mb: float
    hung: bool

    def last_line(self):
        lines = self.err.splitlines()
        return lines[-1][:300] if lines else ""


class Torture:
    """What all parts share: the programs, a working folder, the seed, and the list of what was found."""

    def __init__(self, build, seed, jobs, folder=None, short=False):
        self.program = str(pathlib.Path(build).resolve() / "otseq2set")
        self.injector = str(pathlib.Path(build).resolve() / "fault_injector")
        self.failing_malloc = str(pathlib.Path(build).resolve() / "libfailing_malloc.so")
        self.seed = seed
        self.jobs, self.short = jobs, short
        place = folder or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="otseq2set_torture_", dir=place)).resolve()
        self.findings = []
        self.tally = collections.Counter()
        self.servers = {}  # build -> (requests, most memory in MB)
        self.slowest, self.largest = (0.0, ""), (0.0, "")
        self._lock = threading.Lock()
        self._numbers = 0

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def choose(self, *names):
        """Random numbers that depend on the seed and these names alone."""
        return random.Random("/".join(map(str, (self.seed, *names))))

    def new_folder(self):
        with self._lock:
            self._numbers += 1
            number = self._numbers
        path = self.folder / f"case{number}"
        path.mkdir()
        return path

    def found(self, part, case, what):
        with self._lock:
            self.findings.append((part, str(case), what))
            print(f"FOUND in {part}: {what}\n  again with: ./run torture --seed {self.seed} --only {part} "
                  f"--case {shlex.quote(str(case))}", flush=True)

    def command(self, arguments, fault=None, root=None, trace=None, record=None):
        if (fault is None and trace is None and record is None) or (fault and fault.count == "allocation"):
            return [self.program, *map(str, arguments)]
        options = fault.options() if fault else []
        for name, value in (("--trace", trace), ("--record", record)):
            options += [name, str(value)] if value else []
        return [self.injector, "--root", str(root), *options, "--", self.program, *map(str, arguments)]

    def environment(self, fault=None, trace=None, **_):
        """For a run under this fault, the environment besides the usual one."""
        if fault is None or fault.count != "allocation":
            return {}
        return {"LD_PRELOAD": self.failing_malloc, "TORTURE_ALLOCATION": str(fault.at),
                "TORTURE_GO_ON": str(int(fault.from_then_on)), "TORTURE_ALLOCATIONS": str(trace)}

    def run(self, arguments, *, seconds=HANG_SECONDS, kill_after=None, **how):
        """One run to its end. kill_after: seconds until it is killed, if it is still there."""
        command = self.command(arguments, **how)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder,
                                       env=environment(self.environment(**how)), preexec_fn=limit_memory)
            pidfd = os.pidfd_open(process.pid)
            try:
                wait = seconds * crowding() if kill_after is None else kill_after
                ended = bool(select.select([pidfd], [], [], wait)[0])
                if not ended:
                    os.kill(process.pid, signal.SIGKILL)
            finally:
                os.close(pidfd)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            taken = time.monotonic() - start
            out.seek(0)
            err.seek(0)
            code = process.returncode if process.returncode >= 0 else 128 - process.returncode
            return Outcome(code, out.read(), err.read().decode("utf-8", "replace"), taken, usage.ru_maxrss / 1024,
                           not ended and kill_after is None)

    def count(self, what, number=1):
        with self._lock:
            self.tally[what] += number

    def note(self, case, outcome):
        with self._lock:
            self.slowest = max(self.slowest, (outcome.seconds, str(case)))
            self.largest = max(self.largest, (outcome.memory_mb, str(case)))

    def each(self, part, cases, work, until, most=None):
        """work(case) for one case after the other, on all cores, until the time is over. Returns how many were done."""
        done, cases = 0, itertools.islice(cases, most)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {}
            while True:
                while len(running) < self.jobs and time.monotonic() < until:
                    case = next(cases, None)
                    if case is None:
                        break
                    running[pool.submit(work, case)] = case
                if not running:
                    return done
                for future in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)[0]:
                    case = running.pop(future)
                    done += 1
                    if future.exception():
                        name = ":".join(map(str, case)) if isinstance(case, tuple) else case
                        self.found(part, name, f"the torture itself failed: {future.exception()!r}")


def crowding():
    """How much longer things take because others use the machine."""
    return max(1.0, os.getloadavg()[0] / os.cpu_count())


def environment(more=None):
    return {**os.environ, "OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1", **(more or {})}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def complaint(outcome, most_memory=MOST_MEMORY_MB):
    """What no program may do whatever it is given: nothing, or a text."""
    if outcome.hung:
        return f"hung for {outcome.seconds:.0f} s"
    if outcome.memory_mb > most_memory:
        return f"took {outcome.memory_mb:.0f} MB"
    if outcome.code not in (0, 1):
        return f"ended with code {outcome.code}: {outcome.last_line()}"
    if outcome.code == 1:
        errors = [line for line in outcome.err.splitlines() if line.startswith("error: ")]
        if len(errors) != 1 or not outcome.last_line().startswith("error: ") or len(errors[0]) < 12:
            return f"ended with code 1 without one clear line: {outcome.err[-300:]!r}"
        if "unexpected" in errors[0]:
            return f"an error that nobody expected: {errors[0]}"
    return None
