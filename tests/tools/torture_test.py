"""What the torture (torture/) believes about HTTP and about power cuts: were it wrong, it would find nothing."""

import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "torture"))

import http_reference  # noqa: E402
import mutations  # noqa: E402
import power_loss  # noqa: E402

GET = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"


def post(fields, body):
    return b"POST / HTTP/1.1\r\nHost: h\r\n" + fields + b"\r\n\r\n" + body


class HttpTest(unittest.TestCase):
    def expect(self, data, requests, end):
        framing = http_reference.frame(data)
        self.assertEqual((framing.requests, framing.end), (requests, end), data)

    def test_bodies_are_not_requests(self):
        self.expect(GET + GET, 2, "whole")
        self.expect(post(b"Content-Length: %d" % len(GET), GET) + GET, 2, "whole")
        self.expect(post(b"Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(GET), GET)) + GET, 2, "whole")

    def test_what_is_not_whole_or_not_http(self):
        self.expect(GET + post(b"Content-Length: 50", b"few"), 1, "cut")
        self.expect(GET + post(b"Transfer-Encoding: x", GET), 1, "malformed")
        self.expect(post(b"Content-Length: 1\r\nContent-Length: 2", b"ab"), 0, "malformed")
        self.expect(post(b"Content-Length : 1", b"a"), 0, "malformed")

    def test_what_closes_the_connection(self):
        self.expect(GET.replace(b"Host: h", b"Host: h\r\nConnection: x, close") + GET, 1, "closed")
        self.expect(GET.replace(b"1.1", b"1.0") + GET, 1, "closed")


class PowerTest(unittest.TestCase):
    def states(self, lines, data):
        """mode -> what is left of model/file after all of these changes."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "root"
            (root / "model").mkdir(parents=True)
            (root / "model" / "file").write_bytes(b"old")
            record = power_loss.Record(pathlib.Path(folder) / "record", root)
            record.file.write_text("".join(line.replace("@", f"{root}/model") + "\n" for line in lines), "utf-8")
            pathlib.Path(f"{record.file}.data").write_bytes(data)
            record.read()
            last = len(record.moments) - 1
            return {mode: {record.state(last, mode, random.Random(seed)).get("model/file") for seed in range(30)}
                    for mode in power_loss.MODES}

    def test_what_is_synced_survives(self):
        states = self.states(["create\t1\t@/tmp", "write\t1\t0\t3", "sync\t1", "rename\t@/tmp\t@/file",
                              "sync_folder\t@"], b"new")
        self.assertEqual(set.union(*states.values()), {b"new"})

    def test_a_folder_that_is_not_synced_may_have_the_old_name(self):
        states = self.states(["create\t1\t@/tmp", "write\t1\t0\t3", "sync\t1", "rename\t@/tmp\t@/file"], b"new")
        self.assertEqual(set.union(*states.values()), {b"old", b"new"})
        self.assertEqual(states["least"], {b"old"})

    def test_a_file_that_is_not_synced_may_be_empty_or_torn(self):
        data = bytes(range(256)) * 8
        states = self.states(["create\t1\t@/tmp", f"write\t1\t0\t{len(data)}", "rename\t@/tmp\t@/file",
                              "sync_folder\t@"], data)
        self.assertEqual(states["names"], {b""})
        self.assertIn(data[:512], states["torn"])
        self.assertIn(bytes(len(data)), states["mixed"])

    def test_writing_in_place_loses_the_old_file(self):
        states = self.states(["known\t1\t@/file", "truncate\t1\t0", "write\t1\t0\t3"], b"new")
        self.assertEqual(states["least"], {b"old"})
        self.assertIn(b"", states["torn"] | states["mixed"])


class MutationTest(unittest.TestCase):
    def test_every_mutation_changes_something(self):
        for seed in range(2000):
            data = b'{"a": 1, "b": [2, 3]}\n' * (seed % 3)
            self.assertNotEqual(mutations.mutate(data, random.Random(seed))[1], data)


if __name__ == "__main__":
    unittest.main()
