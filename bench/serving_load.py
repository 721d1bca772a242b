#!/usr/bin/env python3
"""The server under load over loopback: ./run bench serve [--model DIR --texts FILE.jsonl] [--seconds S] [SECTION...]

Sections: throughput (batches, one at a time, and predict on the same documents), overload, memory, stop. Without
--model, a model of the preset cpu_small is trained for one epoch on texts made here, which tells nothing about labels
and everything about time.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "serving"))
import served  # noqa: E402

CONNECTIONS = 32

# Each request is the next document of the file, from another start in each thread of wrk.
SCRIPT = """
local bodies = {}
for line in io.lines("%s") do bodies[#bodies + 1] = line end
local place = 0
request = function()
  place = place %% #bodies + 1
  return wrk.format("POST", "/v1/predict", {["Content-Type"] = "application/json"}, bodies[place])
end
done = function(summary, latency)
  io.write(string.format('{"requests":%%d,"seconds":%%f,"not_200":%%d,"broken":%%d,"p50":%%f,"p99":%%f}\\n',
    summary.requests, summary.duration / 1e6, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
"""


def texts(count, words, seed):
    """Texts of `words` words on average, half to one and a half times as many, by Zipf's law."""
    choose = random.Random(seed)
    vocabulary = [f"word{i}" for i in range(20000)]
    weights = [1 / (i + 1) for i in range(20000)]
    for _ in range(count):
        yield " ".join(choose.choices(vocabulary, weights, k=choose.randint(words // 2, words * 3 // 2)))


def make_model(folder, words):
    choose = random.Random(1)
    data = folder / "train.jsonl"
    with data.open("w", encoding="utf-8") as out:
        for number, text in enumerate(texts(400, words, seed=2)):
            labels = [f"label {choose.randint(0, 2000)}" for _ in range(choose.randint(3, 7))]
            out.write(json.dumps({"id": number, "text": text, "labels": sorted(set(labels))}) + "\n")
    subprocess.run([served.PROGRAM, "train", "--data", data, "--model", folder / "model", "--preset", "cpu_small",
                    "--set", "training.epochs=1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "model"


def processor_seconds(server):
    """What the server has used, and what all programs that ended here have."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), ended.ru_utime + ended.ru_stime


class Load:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.model = options.model or make_model(folder, options.words)
        if options.texts:
            with open(options.texts, encoding="utf-8") as lines:
                self.texts = [json.loads(line)["text"] for _, line in zip(range(2000), lines)]
        else:
            self.texts = list(texts(500, options.words, seed=3))
        self.script = self.write_script("documents", self.texts)

    def write_script(self, name, documents):
        bodies = self.folder / f"{name}.jsonl"
        bodies.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents), encoding="utf-8")
        script = self.folder / f"{name}.lua"
        script.write_text(SCRIPT % bodies, encoding="utf-8")
        return script

    def serve(self, *more):
        return served.Server("--model", self.model, *self.options.serve, *more)

    def wrk(self, server, script, connections, seconds):
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "-s", script,
                   f"http://127.0.0.1:{server.port}"]
        before = processor_seconds(server)
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        result = json.loads(run.stdout.splitlines()[-1])
        result["rate"] = (result["requests"] - result["not_200"]) / result["seconds"]
        result["cores"] = [(after - past) / result["seconds"] for after, past in zip(processor_seconds(server), before)]
        return result

    def predict_rate(self):
        """Documents a second of `predict`, without its start."""
        def seconds(documents):
            lines = "".join(json.dumps({"text": text}) + "\n" for text in documents)
            begin = time.monotonic()
            subprocess.run([served.PROGRAM, "predict", "--model", self.model], input=lines, text=True, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return time.monotonic() - begin

        return (len(self.texts) - 1) / (seconds(self.texts) - seconds(self.texts[:1]))

    def throughput(self):
        rates = {"batches": [], "one at a time": [], "predict": []}
        latency, cores = {}, []
        for _ in range(self.options.rounds):  # in turn; the best rate of each, the median of the ratios of a round
            rates["predict"].append(self.predict_rate())
            for name, more in (("batches", ()), ("one at a time", ("--batch", 1))):
                with self.serve(*more) as server:
                    self.wrk(server, self.script, CONNECTIONS, 1)
                    result = self.wrk(server, self.script, CONNECTIONS, self.options.seconds)
                    rates[name].append(result["rate"])
                    if name == "batches":
                        cores.append(result["cores"])
                    latency[name] = min(latency.get(name, (1e9, 1e9)), (result["p50"], result["p99"]))
        best = {name: max(values) for name, values in rates.items()}
        for name, rate in best.items():
            delay = "  p50 {:.0f} ms, p99 {:.0f} ms".format(*latency[name]) if name in latency else ""
            print(f"{name:<14} {rate:8.1f} documents/s{delay}")
        for other in ("one at a time", "predict"):
            ratios = sorted(mine / its for mine, its in zip(rates["batches"], rates[other]))
            print(f"batches / {other}: {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
        own, client = (statistics.median(used) for used in zip(*cores))
        print(f"of {os.cpu_count()} cores, with batches: the server {own:.2f}, wrk {client:.2f}")

    def overload(self):
        with self.serve() as server:
            usual = self.wrk(server, self.script, CONNECTIONS, self.options.seconds)
            much = self.wrk(server, self.script, 20 * CONNECTIONS, self.options.seconds)
            again = self.wrk(server, self.script, CONNECTIONS, self.options.seconds)
            asked = much["requests"] / much["seconds"]
            print(f"asked {asked:.0f} a second, {asked / usual['rate']:.1f} times what it can carry: "
                  f"{much['rate']:.1f} answered, {100 * much['not_200'] / much['requests']:.0f} % 503, "
                  f"{much['broken']} broken connections")
            print(f"before {usual['rate']:.1f} documents/s, afterwards {again['rate']:.1f}, "
                  f"{again['not_200']} refused, {again['broken']} broken")

    def memory(self):
        short = self.write_script("short", list(texts(500, 10, seed=4)))
        with self.serve() as server:
            count, told = 0, 0
            while count < self.options.requests:
                count += self.wrk(server, short, CONNECTIONS, 5)["requests"]
                text = server.request("GET", "/metrics")[2].decode()
                resident = int(re.search(r"process_resident_memory_bytes (\d+)", text).group(1)) / 1e6
                if count >= min(told, self.options.requests):
                    print(f"{count:>7} requests: {resident:.0f} MB", flush=True)
                    told = count + self.options.requests // 8

    def stop(self):
        with self.serve() as server:
            answered, lost = [0] * CONNECTIONS, []

            def client(number):
                connection = server.connect()
                try:
                    while True:
                        connection.request("POST", "/v1/predict", json.dumps({"text": self.texts[number]}),
                                           {"Content-Type": "application/json"})
                        answer = connection.getresponse()
                        answer.read()
                        answered[number] += answer.status == 200
                        if answer.status != 200:
                            lost.append(answer.status)
                        if answer.getheader("Connection") == "close":
                            return
                except (OSError, http.client.HTTPException) as error:
                    lost.append(error)

            clients = [threading.Thread(target=client, args=(i,)) for i in range(CONNECTIONS)]
            for thread in clients:
                thread.start()
            time.sleep(self.options.seconds)
            begin = time.monotonic()
            code = server.stop()
            for thread in clients:
                thread.join()
            print(f"SIGTERM after {sum(answered)} answers at {CONNECTIONS} connections: exit code {code} after "
                  f"{time.monotonic() - begin:.1f} s, {len(lost)} requests lost")


def main():
    sections = ["throughput", "overload", "memory", "stop"]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(sections))
    parser.add_argument("--model", help="folder of a model, instead of one made here")
    parser.add_argument("--texts", help="JSON lines with the texts to send")
    parser.add_argument("--words", type=int, default=100, help="of a text made here, on average")
    parser.add_argument("--seconds", type=int, default=10, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=50000, help="of the section memory")
    parser.add_argument("--serve", nargs=argparse.REMAINDER, default=[], help="options for the server, last")
    options = parser.parse_args()
    for section in options.sections:
        if section not in sections:
            parser.error(f"no section '{section}'; the sections are {', '.join(sections)}")
    with tempfile.TemporaryDirectory() as folder:
        load = Load(options, pathlib.Path(folder))
        for section in options.sections or sections:
            print(f"-- {section}", flush=True)
            getattr(load, section)()


if __name__ == "__main__":
    main()
