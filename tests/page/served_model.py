"""A small model with hostile names, trained by the program under test, and a server for it."""

import json
import os
import random
import re
import subprocess
import urllib.request

PROGRAM = os.environ["OTSEQ2SET_PROGRAM"]
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # tests run side by side

# Each label has two words. Names are what somebody might put into a vocabulary to take over a page.
LABELS = {
    "fish": ["cod", "trawler"],
    "birds": ["sparrow", "nest"],
    "trees": ["oak", "forest"],
    "<img src=x onerror=\"window.broken=1\">": ["markup", "onerror"],
    "</script><script>window.broken=2</script>": ["script", "injection"],
    "javascript:window.broken=3//'\"&amp;": ["quote", "ampersand"],
    "https://example.org/lakes?a=1&b=\"><b>": ["lake", "shore"],
}
ADDRESS = "https://example.org/lakes?a=1&b=\"><b>"
HOSTILE = [label for label in LABELS if not label.isalpha() and label != ADDRESS]
FILLERS = ["the", "of", "and", "a", "in"]


def corpus(documents, seed):
    chance = random.Random(seed)
    lines = []
    for i in range(documents):
        labels = chance.sample(sorted(LABELS), chance.randint(1, 2))
        words = [word for label in labels for word in LABELS[label]] + chance.choices(FILLERS, k=4)
        chance.shuffle(words)
        lines.append(json.dumps({"id": str(i), "text": " ".join(words), "labels": labels}) + "\n")
    return "".join(lines)


def run(*arguments):
    result = subprocess.run([PROGRAM, *arguments], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {result.stderr}")
    return result.stdout


def train(folder, name, seed):
    data = os.path.join(folder, f"{name}.jsonl")
    with open(data, "w", encoding="utf-8") as file:
        file.write(corpus(400, seed))
    settings = ["model.hidden=24", "model.word_embedding=16", "model.label_embedding=16", "model.encoder_layers=1",
                "model.max_words=200", "model.light_conv.kernels=2,3", "training.epochs=8", "training.batch=16",
                "training.learning_rate=0.01", f"training.seed={seed}"]
    model = os.path.join(folder, name)
    options = [part for value in settings for part in ("--set", value)]
    run("train", "--preset", "paper", "--data", data, "--model", model, *options)
    return model


class Server:
    def __init__(self, *models, token=None, port=0, arguments=()):
        command = [PROGRAM, "serve", "--port", str(port), "--access-log", "off", *arguments]
        for model in models:
            command += ["--model", model]
        if token:
            command += ["--api-token", token]
        self.token = token
        self.process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"at (http://\S+)", line)
            if found:
                self.address = found.group(1)
                return
        raise RuntimeError("the server did not start")

    def predict(self, text, **more):
        """The labels of a text, as a program gets them."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        body = json.dumps({"text": text, "explain": True, **more}).encode()
        with urllib.request.urlopen(urllib.request.Request(self.address + "v1/predict", body, headers)) as answer:
            return json.load(answer)["documents"][0]["labels"]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.process.stderr.close()
