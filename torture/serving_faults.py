"""The server, started, asked, reloaded, asked again and ended, while one of its system calls goes wrong."""

import http.client
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from runner import HANG_SECONDS, Outcome, crowding, environment, limit_memory

QUESTION = json.dumps({"documents": [{"id": "a", "text": "topic1x0 topic2x1"}, {"id": "b", "text": "topic4x1"}],
                       "limit": 3})
ENDED_BY_ITSELF = 3  # a server that listens has to go on
TRIES = 4  # a fault may break the connection of a client, who asks again


class Server:
    """The program in the background. `port` is None if it has ended instead of listening."""

    def __init__(self, command, env=None, patience=HANG_SECONDS, limited=True):
        self.start = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, errors="replace", env=environment(env),
                                        preexec_fn=limit_memory if limited else None)
        self.lines = queue.Queue()
        self.messages = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.port, self.ended = None, False
        found = self.wait_for(r"at http://.*:(\d+)/", patience)
        if found:
            self.port = int(found.group(1))

    def _read(self):
        for line in self.process.stderr:
            self.messages.append(line)
            self.lines.put(line)
        self.lines.put(None)

    def wait_for(self, pattern, seconds):
        """The match of a line that standard error has, or nothing."""
        end = time.monotonic() + seconds * crowding()
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                return None
            if line is None:
                self.ended = True
                return None
            found = re.search(pattern, line)
            if found:
                return found

    def ask(self, body=QUESTION, seconds=3):
        """(status, answer); status 0 if there is none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds * crowding())
        try:
            connection.request("POST", "/v1/predict", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()

    def lives(self):
        """Without taking the exit code from `end`, as poll would."""
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def signal(self, number):
        os.kill(self.process.pid, number)

    def end(self, seconds=HANG_SECONDS):
        """Asks it to end. (exit code, seconds since the start, memory in MB, whether it had to be killed)."""
        self.signal(signal.SIGTERM)
        hung = False
        limit = time.monotonic() + seconds * crowding()
        while True:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > limit and not hung:
                hung = True
                self.signal(signal.SIGKILL)
            time.sleep(0.005)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.reader.join()
        self.process.stderr.close()
        return self.process.returncode, time.monotonic() - self.start, usage.ru_maxrss / 1024, hung


class Serving:
    """Right answers, or none while the fault lasts; never a wrong one, and an end when it is asked to end."""

    name = "serve"
    counts = ["file", "memory", "allocation", "net"]

    def __init__(self, models):
        self.models, self.torture = models, models.torture

    def prepare(self):
        if not hasattr(self, "right"):
            self.models.folder("hybrid")
            folder = self.torture.new_folder()
            self.start(folder)
            server = Server(self.torture.command(self.arguments(folder)))
            self.right = server.ask()[1]
            server.end()

    def start(self, folder):
        shutil.copytree(self.models.folder("hybrid"), folder, dirs_exist_ok=True)

    def arguments(self, folder):
        return ["serve", "--model", folder / "model", "--port", "0", "--workers", "1", "--threads", "1",
                "--access-log", folder / "access.jsonl"]

    def play(self, folder, fault=None, trace=None):
        server = Server(self.torture.command(self.arguments(folder), fault=fault, root=folder, trace=trace),
                        self.torture.environment(fault, trace))
        lasting = fault is not None and fault.from_then_on
        answers = []
        if server.port is not None:
            answers.append(self.answer(server, lasting))
            server.signal(signal.SIGHUP)
            server.wait_for(r"reload|loaded|keep|old model|cannot", 1)
            answers.append(self.answer(server, lasting))
        stuck = server.port is None and not server.ended
        code, seconds, memory, hung = server.end()
        code = code if code >= 0 else 128 - code
        if code == 1 and server.port is not None and not lasting:
            code = ENDED_BY_ITSELF
        return Outcome(code, b"\n".join(answers), "".join(server.messages), seconds, memory, hung or stuck)

    def answer(self, server, lasting):
        for _ in range(1 if lasting else TRIES):
            status, answer = server.ask()
            if status == 200:
                return answer
        return b"none" if lasting else f"none, status {status}".encode()

    def halfway(self, _):
        return None

    def wrong(self, _, outcome):
        answers = outcome.out.split(b"\n")
        wrong = [answer for answer in answers if answer not in (self.right, b"none")]
        return f"answered {wrong[0][:200]!r}; {outcome.last_line()}" if wrong else None
