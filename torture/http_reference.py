"""Where HTTP/1.1 requests begin and end in a stream of bytes (RFC 9112), read strictly, without the server's code."""

import dataclasses
import re

FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*?)[ \t]*")
REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) [^\x00-\x20\x7f]+ HTTP/1\.([01])")


@dataclasses.dataclass
class Framing:
    methods: list          # of the requests that are whole; at last the one of what follows, if it is known
    requests: int          # that are whole
    end: str               # what follows: "whole" (nothing), "cut", "malformed"; or "closed": the last asked for that


class Malformed(Exception):
    pass


class Cut(Exception):
    pass


class Stream:
    def __init__(self, data):
        self.data, self.at = data, 0

    def line(self):
        end = self.data.find(b"\r\n", self.at)
        if end < 0:
            raise Cut
        line, self.at = self.data[self.at:end], end + 2
        if b"\n" in line or b"\r" in line:
            raise Malformed
        return line

    def take(self, count):
        if self.at + count > len(self.data):
            raise Cut
        self.at += count


def read_fields(stream):
    fields, last = {}, None
    while True:
        line = stream.line()
        if not line:
            return fields
        if last and line[:1] in b" \t":  # a line that goes on, which may be accepted
            fields[last][-1] = (fields[last][-1] + b" " + line.strip(b" \t")).strip()
            continue
        found = FIELD.fullmatch(line)
        if not found:
            raise Malformed
        last = found.group(1).lower()
        fields.setdefault(last, []).append(found.group(2))


def read_chunks(stream):
    while True:
        size = re.match(rb"[0-9A-Fa-f]+", stream.line())
        if not size or len(size.group()) > 16:
            raise Malformed
        count = int(size.group(), 16)
        if count == 0:
            read_fields(stream)
            return
        stream.take(count)
        if stream.data[stream.at:stream.at + 2] != b"\r\n":
            raise Cut if len(stream.data) < stream.at + 2 else Malformed
        stream.at += 2


def read_head(stream):
    """(method, minor version, fields)"""
    line = stream.line()
    while not line:  # empty lines before a request are to be ignored
        line = stream.line()
    found = REQUEST_LINE.fullmatch(line)
    if not found:
        raise Malformed
    return found.group(1), found.group(2), read_fields(stream)


def read_body(stream, fields):
    coding = b",".join(fields.get(b"transfer-encoding", []))
    lengths = {length.strip() for value in fields.get(b"content-length", []) for length in value.split(b",")}
    if b"transfer-encoding" in fields:
        if coding.strip().lower() != b"chunked":
            raise Malformed
        read_chunks(stream)
    elif lengths:
        if len(lengths) > 1 or not re.fullmatch(rb"[0-9]{1,18}", min(lengths)):
            raise Malformed
        stream.take(int(min(lengths)))


def asks_to_close(version, fields):
    options = {option.strip().lower() for value in fields.get(b"connection", []) for option in value.split(b",")}
    return b"close" in options or (version == b"0" and b"keep-alive" not in options)


def frame(data):
    stream, methods, requests = Stream(data), [], 0
    try:
        while stream.data[stream.at:].strip(b"\r\n"):
            method, version, fields = read_head(stream)
            methods.append(method)
            read_body(stream, fields)
            requests += 1
            if asks_to_close(version, fields):
                return Framing(methods, requests, "closed")
    except Malformed:
        return Framing(methods, requests, "malformed")
    except Cut:
        return Framing(methods, requests, "cut")
    return Framing(methods, requests, "cut" if stream.at < len(data) else "whole")  # empty lines of a next request


class BadResponse(Exception):
    pass


def read_response(data, at, method):
    """(status, whether the connection is closed, body, where it ends), None if more bytes are needed."""
    end = data.find(b"\r\n\r\n", at)
    if end < 0:
        return None
    first, *lines = data[at:end].split(b"\r\n")
    status = re.fullmatch(rb"HTTP/1\.[01] ([1-5][0-9][0-9]) [ -~]*", first)
    if not status:
        raise BadResponse(f"not a status line: {first[:100]!r}")
    fields = {}
    for line in lines:
        found = FIELD.fullmatch(line)
        if not found or found.group(1).lower() in fields:
            raise BadResponse(f"not a field: {line[:100]!r}")
        fields[found.group(1).lower()] = found.group(2)
    code, body = int(status.group(1)), end + 4
    length = fields.get(b"content-length", b"0" if code in (100, 204, 304) else None)
    if length is None or not length.isdigit():
        raise BadResponse(f"a response without a length: {first!r}")
    size = 0 if method == b"HEAD" else int(length)
    if len(data) < body + size:
        return None
    return code, b"close" in fields.get(b"connection", b"").lower(), data[body:body + size], body + size
