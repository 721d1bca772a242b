#!/usr/bin/env python3
"""What one client can do to another: ./run bench attacks [--model DIR --texts FILE.jsonl] [--seconds S] [ATTACK...]

Somebody sends short requests, each over a connection of its own, first alone and then while another client, at another
address of this machine, does its worst. Says for each attack the 50th and 99th percentile of the time of these
requests, and how many of them failed. Fails when one did, or when the 99th percentile is five times what it is alone.
Over loopback only; attackers run at low priority, as if they were on machines of their own.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import serving_load

import served

ATTACKER = "127.0.0.2"
LARGE = 8 << 20
WORST = 5  # times as long as alone


def connect(port, address=ATTACKER):
    return socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(address, 0))


def head(path, length, content="application/json"):
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content}\r\n"
            f"Content-Length: {length}\r\n\r\n").encode()


def repeat(port, message, connections, take_answers=True):
    """Sends the message again and again over so many connections."""
    def one():
        while True:
            try:
                with connect(port) as connection:
                    connection.sendall(message)
                    if take_answers:
                        connection.recv(65536)
            except OSError:
                time.sleep(0.01)

    for _ in range(connections):
        threading.Thread(target=one, daemon=True).start()


def keep(port, beginning, connections, trickle=b""):
    """Holds so many connections open that have sent this; opens them again when they are closed."""
    def hold(own):
        held = []
        while True:
            try:
                while len(held) < own:
                    connection = connect(port)
                    connection.sendall(beginning)
                    connection.setblocking(False)
                    held.append(connection)
            except OSError:
                pass
            time.sleep(0.5)
            for connection in held[:]:
                try:
                    if trickle:
                        connection.send(trickle)
                    if connection.recv(65536) == b"":
                        raise ConnectionError
                except BlockingIOError:
                    pass
                except OSError:
                    connection.close()
                    held.remove(connection)

    for i in range(8):
        threading.Thread(target=hold, args=((connections + i) // 8,), daemon=True).start()


def question(text, **more):
    body = json.dumps({"text": text, **more}, ensure_ascii=False).encode()
    return head("/v1/predict", len(body)) + body


def documents(count, words, **more):
    text = " ".join(f"word{i}" for i in range(words))
    body = json.dumps({"documents": [{"text": text}] * count, **more}).encode()
    return head("/v1/predict", len(body)) + body


def form(project):
    body = b"abcd&" * (LARGE // 5)
    return head(f"/v1/projects/{project}/suggest", len(body), "application/x-www-form-urlencoded") + body


THAI = "การเรียนรู้ของเครื่อง"
MARKS = "\u0315\u0300\u0316\u0327"


def filled(text):
    return text * ((LARGE - 1000) // len(text.encode()))


# name: (what it does, options of the server)
ATTACKS = {
    "forms": (lambda port, project: repeat(port, form(project), 4), ()),
    "thai": (lambda port, _: repeat(port, question(filled(THAI)), 4), ()),
    "marks": (lambda port, _: repeat(port, question("a" + filled(MARKS)), 4), ()),
    "english": (lambda port, _: repeat(port, question(filled("some words of a long book ")), 4), ()),
    "announced": (lambda port, _: keep(port, head("/v1/predict", LARGE), 64), ()),
    "halves": (lambda port, _: keep(port, head("/v1/predict", LARGE) + b" " * (LARGE - 1000), 40), ()),
    "small-halves": (lambda port, _: keep(port, head("/v1/predict", 60000) + b" " * 59000, 2000), ()),
    "gone": (lambda port, _: repeat(port, documents(256, 100), 4, take_answers=False), ()),
    "leave-out": (lambda port, _: repeat(port, documents(16, 100, explain=True, leave_out=True), 4), ()),
    "slow-heads": (lambda port, _: keep(port, b"GET / HTTP/1.1\r\n", 2000, b"X: y\r\n"), ()),
    "idle": (lambda port, _: keep(port, b"", 2000), ()),
    "all-idle": (lambda port, _: keep(port, b"", 100), ("--connections", "50")),
}


def attack(name, port, project):
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_NOFILE, 2 * (resource.getrlimit(resource.RLIMIT_NOFILE)[1],))
    ATTACKS[name][0](port, project)
    signal.pause()


def ask(port, body):
    """Seconds until the answer, and its status."""
    begin = time.perf_counter()
    try:
        with connect(port, "127.0.0.1") as connection:
            last = head("/v1/predict", len(body)).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
            connection.sendall(last + body)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        status = int(answer[9:12] or 0)
    except OSError:
        status = 0
    return time.perf_counter() - begin, status


def measure(port, bodies, seconds):
    times, failed = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        taken, status = ask(port, bodies[len(times) % len(bodies)])
        times.append(1e3 * taken)
        failed += status != 200
    times.sort()
    return {"requests": len(times), "failed": failed, "p50": times[len(times) // 2],
            "p99": times[len(times) * 99 // 100]}


def peak_memory(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s*(\d+)", status).group(1)) / 1e3


def run(name, model, bodies, options):
    with served.Server("--model", f"m={model}", *ATTACKS[name][1], *options.serve) as server:
        measure(server.port, bodies, 1)
        alone = measure(server.port, bodies, options.seconds)
        worst = subprocess.Popen([sys.executable, "-B", __file__, "--as-attacker", name, str(server.port)])
        try:
            time.sleep(options.before)
            attacked = measure(server.port, bodies, options.seconds)
        finally:
            worst.kill()
            worst.wait()
        ratio = attacked["p99"] / alone["p99"]
        good = ratio < WORST and not attacked["failed"]
        print(f"{name:<13} alone p50 {alone['p50']:6.1f} p99 {alone['p99']:6.1f} ms, "
              f"attacked p50 {attacked['p50']:6.1f} p99 {attacked['p99']:6.1f} ms: {ratio:5.2f} times; "
              f"{attacked['failed']} of {attacked['requests']} failed; at most {peak_memory(server):.0f} MB"
              f"{'' if good else '  <-- too much'}", flush=True)
        return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(ATTACKS))
    parser.add_argument("--model", help="folder of a model, instead of one made here")
    parser.add_argument("--texts", help="JSON lines with the texts to send")
    parser.add_argument("--words", type=int, default=20, help="of a text made here, on average")
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--before", type=float, default=1.5, help="seconds of an attack before it is measured")
    parser.add_argument("--serve", nargs=argparse.REMAINDER, default=[], help="options for the server, last")
    options = parser.parse_args()
    for name in options.attacks:
        if name not in ATTACKS:
            parser.error(f"no attack '{name}'; the attacks are {', '.join(ATTACKS)}")
    with tempfile.TemporaryDirectory() as folder:
        load = serving_load.Load(options, pathlib.Path(folder))
        bodies = [json.dumps({"text": text}).encode() for text in load.texts]
        results = [run(name, load.model, bodies, options) for name in options.attacks or ATTACKS]
    sys.exit(not all(results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-attacker"]:
        attack(sys.argv[2], int(sys.argv[3]), "m")
    else:
        main()
