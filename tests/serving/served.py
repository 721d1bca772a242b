"""A tiny model, trained by the test, and the program that serves it. Standard library only."""

import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import tempfile
import threading

PROGRAM = os.environ.get("OTSEQ2SET_PROGRAM", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "otseq2set"))
LABELS = 8


def corpus(documents, seed):
    """Documents that can be learnt: two words for each of their one to three labels, whose names have other names."""
    choose = random.Random(seed)
    lines = []
    for number in range(documents):
        labels = choose.sample(range(LABELS), choose.randint(1, 3))
        words = [f"topic{label}x{choose.randint(0, 1)}" for label in labels for _ in range(2)]
        choose.shuffle(words)
        subjects = [{"uri": f"http://example.org/{label}", "label": f"Topic <b>{label}</b>"} for label in labels]
        lines.append(json.dumps({"document_id": f"d{number}", "text": " ".join(words), "subjects": subjects}))
    return "\n".join(lines) + "\n"


def train(folder, seed=1):
    """Trains a model for a second or two into the folder."""
    data = pathlib.Path(f"{folder}.jsonl")
    data.write_text(corpus(120, seed), encoding="utf-8")
    settings = ["model.hidden=12", "model.word_embedding=8", "model.label_embedding=8", "model.encoder_layers=1",
                "model.max_words=10", "model.light_conv.kernels=2,3", "training.epochs=3", "training.batch=16",
                "training.learning_rate=0.05"]
    options = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([PROGRAM, "train", "--preset", "paper", "--data", data, "--model", folder, *options], check=True,
                   env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def environment():
    return {**os.environ, "OMP_WAIT_POLICY": "passive"}  # tests run side by side


class Server:
    """The program in the background, until the end of the with statement."""

    def __init__(self, *arguments, environment_more=None):
        self.log = tempfile.NamedTemporaryFile(prefix="otseq2set_access_", suffix=".jsonl")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "--access-log", self.log.name, *map(str, arguments)],
            stderr=subprocess.PIPE, text=True, env={**environment(), **(environment_more or {})})
        self.messages = []
        for line in self.process.stderr:
            self.messages.append(line)
            found = re.search(r"at http://.*:(\d+)/", line)
            if found:
                self.port = int(found.group(1))
                break
        else:
            raise RuntimeError("the server did not start: " + "".join(self.messages))
        self.reader = threading.Thread(target=lambda: self.messages.extend(self.process.stderr))
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        self.log.close()

    def stop(self):
        """Asks the server to end; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def socket(self, timeout=60):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def request(self, method, path, body=None, headers=None):
        """(status, header fields, body) of one request on a connection of its own."""
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def predict(self, question, **more):
        body = question if isinstance(question, (str, bytes)) else json.dumps(question)
        status, headers, content = self.request("POST", "/v1/predict", body, {"Content-Type": "application/json", **more})
        return status, headers, json.loads(content)

    def logged(self):
        return [json.loads(line) for line in pathlib.Path(self.log.name).read_text(encoding="utf-8").splitlines()]
