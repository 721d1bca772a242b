"""Mutated requests over real sockets against real servers: built with the address and undefined-behaviour sanitizers,
with the thread sanitizer, and as it is shipped.

Several requests follow each other on a connection, the last is a plain one. How many answers there may be says a strict
reader of RFC 9112 (http_reference.py): one answer too many or too few means that the server takes a body for a request
or the other way round.
"""

import asyncio
import json
import pathlib
import time

import http_reference
import mutations
from runner import HANG_SECONDS, MOST_MEMORY_MB, crowding
from serving_faults import Server

AT_ONCE = 48
PROBE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


def post(path, body, kind=b"application/json", chunked=False, more=b""):
    head = b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + kind + b"\r\n" + more
    if not chunked:
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    half = len(body) // 2
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (body[:half], body[half:]) if piece)
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + pieces + b"0\r\n\r\n"


def get(path, method=b"GET", version=b"1.1", more=b""):
    return method + b" " + path + b" HTTP/" + version + b"\r\nHost: localhost\r\n" + more + b"\r\n"


DOCUMENTS = {"documents": [{"id": "a", "text": "topic1x0 topic2x1"}, {"id": "b", "text": "\u65e5\u672c topic3x0"}]}
SEEDS = [
    get(b"/healthz"), get(b"/"), get(b"/v1/openapi.json"), get(b"/metrics"), get(b"/v1/projects"), get(b"/", b"HEAD"),
    get(b"/v1/projects/model?x=%41+b&y"), get(b"/healthz", version=b"1.0"), get(b"/v1/predict", b"OPTIONS"),
    get(b"/healthz", more=b"Connection: keep-alive\r\n"),
    post(b"/v1/predict", json.dumps({**DOCUMENTS, "limit": 3}).encode()),
    post(b"/v1/predict", json.dumps({"text": "topic0x1 topic5x0", "threshold": 0.1}).encode(), chunked=True),
    post(b"/v1/predict", json.dumps({"text": "topic0x1 topic5x0", "explain": True, "leave_out": True}).encode()),
    post(b"/v1/predict", json.dumps(DOCUMENTS).encode(), more=b"Expect: 100-continue\r\n"),
    post(b"/v1/projects/model/suggest", b"text=topic1x0+topic2%78%31&limit=5", b"application/x-www-form-urlencoded"),
    post(b"/v1/projects/model/suggest", b"text=" + SMUGGLED, b"application/x-www-form-urlencoded"),
    post(b"/v1/projects/model/suggest-batch?limit=2", json.dumps(
        {"documents": [{"document_id": "d", "text": "topic1x0"}]}).encode(), chunked=True),
    post(b"/v1/predict", SMUGGLED, chunked=True),
]
PIECES = [b"\r\n", b"\n", b"\r", b" ", b"\t", b"\0", b":", b",", b"%", b"%00", b"\xff", b"\x85", b"\"", b"{",
          b"[" * 200, b"Content-Length: 5\r\n", b"Content-Length: 0\r\n", b"Transfer-Encoding: chunked\r\n",
          b"Transfer-Encoding: x\r\n", b"Connection: close\r\n", b"Connection: keep-alive\r\n",
          b"Expect: 100-continue\r\n", b"Host: example.org\r\n", b"Origin: null\r\n", SMUGGLED,
          b"0\r\n\r\n", b"ffffffffffffffff\r\n", b"X: " + b"a" * 20000 + b"\r\n", b"1e999", b"-1", b"\\ud800", b"null"]


LENGTHS = [b"", b"0", b"1", b"-1", b"+5", b"0x5", b"5, 5", b"5,6", b"5 5", b"007", b"99999999999999999999",
           b"18446744073709551615"]


def insert(request, choose):
    at = choose.randrange(len(request) + 1)
    return request[:at] + choose.choice(PIECES) + request[at:]


def insert_line(request, choose):
    lines = [i + 2 for i in range(len(request) - 1) if request[i:i + 2] == b"\r\n"]
    at = choose.choice(lines)
    return request[:at] + choose.choice(PIECES) + request[at:]


def lines_of_head(request, choose):
    """A line of the head twice, not at all, or elsewhere."""
    head, end, body = request.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    line = lines.pop(choose.randrange(len(lines)))
    for _ in range(choose.choice([0, 1, 2])):
        lines.insert(choose.randrange(len(lines) + 1), line)
    return b"\r\n".join(lines) + end + body


def other_length(request, choose):
    head, end, body = request.partition(b"\r\n\r\n")
    length = choose.choice([b"%d" % (len(body) + choose.randint(-3, 60)), *LENGTHS])
    return head + b"\r\nContent-Length: " + length + end + body


def other_case(request, choose):
    begin, end = mutations.part(request, choose)
    return request[:begin] + request[begin:end].swapcase() + request[end:]


HOW = [insert, insert, insert_line, insert_line, lines_of_head, other_length, other_case, mutations.flip_bits,
       mutations.other_bytes, mutations.cut, mutations.leave_out, mutations.twice, mutations.swap_blocks,
       mutations.other_number]


def make_stream(torture, number):
    """The bytes of a connection, and how many mutated requests they hold."""
    choose = torture.choose("requests", number)
    requests = []
    for _ in range(choose.choice([1, 1, 2, 3])):
        request = choose.choice(SEEDS)
        for _ in range(choose.choice([1, 1, 1, 2, 4])):
            request = choose.choice(HOW)(request, choose) or b"\r\n\r\n"
            if b"\r\n" not in request:
                request += b"\r\n\r\n"
        requests.append(request)
    return b"".join(requests) + PROBE, len(requests)


async def converse(port, stream):
    """What is wrong with how the server answers; nothing if all is well."""
    framing = http_reference.frame(stream)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        return await asyncio.wait_for(exchange(reader, writer, stream, framing), HANG_SECONDS * crowding())
    except asyncio.TimeoutError:
        return f"no end within {HANG_SECONDS} s ({framing.requests} requests, then {framing.end})"
    finally:
        writer.close()


async def exchange(reader, writer, stream, framing):
    writer.write(stream)
    data, at, statuses, closing, ended = b"", 0, [], False, False
    while True:
        method = framing.methods[len(statuses)] if len(statuses) < len(framing.methods) else b""
        found = http_reference.read_response(data, at, method)
        if found:
            code, closes, _, at = found
            if code != 100:
                statuses.append(code)
                closing = closes
            continue
        if ended:
            break
        if framing.end in ("cut", "whole") and len(statuses) == framing.requests and not closing:
            break  # the server waits for more
        try:
            more = await reader.read(1 << 16)
        except ConnectionResetError:
            more = b""
        data += more
        ended = not more
    return judge(framing, statuses, closing, data[at:])


def judge(framing, statuses, closing, rest):
    wanted, got = framing.requests, len(statuses)
    # A server that has refused what it read before does not know that this would have been for a head only.
    headless = closing and got > 0 and statuses[-1] >= 400 and framing.methods[got - 1:got] == [b"HEAD"]
    if rest and not headless:
        return f"bytes after the answers: {rest[:100]!r}"
    if got > wanted + (framing.end in ("cut", "malformed")):
        return f"{got} answers {statuses}, but there are {wanted} requests, then {framing.end}"
    if got == wanted + 1 and statuses[-1] < 400:
        return f"{framing.end} after {wanted} requests was answered with {statuses[-1]}"
    if got < wanted and not closing:
        return f"{got} answers {statuses} to {wanted} requests, then the connection was closed without a word"
    return None


class Assault:
    """A server of one build, and all that is sent to it."""

    def __init__(self, torture, model, name, program, env):
        self.torture, self.name, self.env = torture, name, env
        self.command = [program, "serve", "--model", str(model), "--port", "0", "--workers", "2", "--threads",
                        "1" if name == "tsan" else "2", "--access-log", str(torture.folder / f"access_{name}.jsonl"),
                        "--connections", "200"]
        self.running = set()

    async def one(self, number):
        self.running.add(number)
        stream, requests = make_stream(self.torture, number)
        wrong = None
        try:
            wrong = await converse(self.server.port, stream)
        except http_reference.BadResponse as error:
            wrong = str(error)
        except OSError as error:
            if self.server.lives():
                wrong = f"cannot connect: {error}"
        self.running.discard(number)
        self.torture.count("requests", requests)
        self.torture.count(f"requests_{self.name}", requests)
        if wrong:
            self.torture.found("requests", f"{self.name}:{number}", f"{self.name}: {wrong}; sent {stream[:600]!r}")

    async def all(self, numbers, until, most):
        begun = set()
        for number in numbers:
            if time.monotonic() > until or self.torture.tally[f"requests_{self.name}"] >= most:
                break
            if not self.server.lives():
                break
            begun.add(asyncio.create_task(self.one(number)))
            if len(begun) >= AT_ONCE:
                _, begun = await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
        if begun:
            await asyncio.wait(begun)

    def go(self, numbers, until, most):
        self.server = Server(self.command, self.env, patience=60, limited=False)
        if self.server.port is None:
            self.torture.found("requests", self.name, "does not start: " + "".join(self.server.messages)[-2000:])
            return
        asyncio.run(self.all(numbers, until, most))
        last = self.server.ask(seconds=HANG_SECONDS)[0]
        code, _, memory, hung = self.server.end(60 if self.name != "release" else HANG_SECONDS)
        if last != 200 or code != 0 or hung:
            self.torture.found("requests", f"{self.name}:{','.join(map(str, sorted(self.running))) or 'all'}",
                               f"{self.name}: at the end status {last}, exit code {code}{', hung' if hung else ''}: "
                               + "".join(self.server.messages)[-3000:])
        if self.name == "release" and memory > MOST_MEMORY_MB:
            self.torture.found("requests", "release:all", f"took {memory:.0f} MB")
        self.torture.servers[self.name] = (self.torture.tally[f"requests_{self.name}"], memory)


SANITIZER_OPTIONS = {
    "asan": {"ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
             "UBSAN_OPTIONS": "print_stacktrace=1"},
    "tsan": {"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1"},
    "release": {},
}


def run(torture, models, until, most=None, only=None, builds=None):
    """builds: name -> program. The first gets most of the requests."""
    model = models.folder("hybrid") / "model"
    if only:
        name, numbers = only.split(":")
        builds, cases, shares = {name: builds[name]}, [int(number) for number in numbers.split(",")], [1]
    else:
        cases = range(1 << 30)
        shares = [0.7] + [0.3 / (len(builds) - 1)] * (len(builds) - 1) if len(builds) > 1 else [1]
    for (name, program), share in zip(builds.items(), shares):
        if not pathlib.Path(program).exists():
            torture.found("requests", name, f"{program} is missing")
            continue
        left = until - time.monotonic()
        remaining = sum(shares[list(builds).index(name):])
        Assault(torture, model, name, program, SANITIZER_OPTIONS[name]).go(
            cases, time.monotonic() + left * share / remaining, int(most * share) if most else 1 << 60)
    return ", ".join(f"{name} {number:,}, {memory:.0f} MB" for name, (number, memory) in torture.servers.items())
