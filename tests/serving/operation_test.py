"""The server in operation: signals, tokens, limits, and clients that do not behave."""

import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import served

HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not come to pass")
        time.sleep(0.02)


class Operation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = pathlib.Path(cls.folder.name) / "topics"
        served.train(cls.model)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def serve(self, *arguments, **more):
        server = served.Server("--model", self.model, *arguments, **more)
        self.addCleanup(server.__exit__)
        return server

    def expect_well(self, server):
        self.assertEqual(server.predict({"text": "topic1x0"})[0], 200)

    def refused(self, *arguments):
        run = subprocess.run([served.PROGRAM, "serve", *map(str, arguments)], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True, env=served.environment(), timeout=60)
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 1, run.stderr)
        self.assertTrue(lines[0].startswith("error: "), run.stderr)
        return run.returncode, lines[0]

    def test_what_it_refuses_to_start_with(self):
        code, line = self.refused("--model", self.model, "--host", "0.0.0.0")
        self.assertEqual(code, 2)
        self.assertIn("--api-token", line)
        code, line = self.refused("--model", "/nowhere")
        self.assertEqual(code, 1)
        self.assertIn("/nowhere", line)
        code, line = self.refused("--model", self.model, "--model", self.model)
        self.assertEqual(code, 2)
        self.assertIn("two models are named 'topics'", line)
        code, line = self.refused("--model", self.model, "--host", "example.org", "--api-token", "x")
        self.assertEqual(code, 2)
        self.assertIn("not an address", line)
        code, line = self.refused("--model", self.model, "--batch", "0")
        self.assertEqual(code, 2)
        code, line = self.refused("--model", self.model, "--api-token", "")
        self.assertEqual(code, 2)
        self.assertIn("the token in --api-token is empty", line)
        server = self.serve()
        code, line = self.refused("--model", self.model, "--port", server.port)
        self.assertEqual(code, 1)
        self.assertIn("in use", line)

    def test_a_token_opens_the_server_to_others(self):
        server = self.serve("--host", "0.0.0.0", environment_more={"OTSEQ2SET_API_TOKEN": "open sesame"})
        self.assertEqual(server.predict({"text": "topic1x0"})[0], 401)
        self.assertEqual(server.predict({"text": "topic1x0"}, Authorization="Bearer open sesame")[0], 200)
        self.assertEqual(server.request("GET", "/healthz")[0], 200)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_tokens_with_names(self):
        tokens = self.write("tokens", "# who may ask\n\nalice  s3cret-a\r\nbob\ts3cret-b\nlonely\n")
        server = self.serve("--host", "0.0.0.0", "--token-file", tokens, "--api-token", "open sesame")
        for token in ("s3cret-a", "s3cret-b", "lonely", "open sesame"):
            self.assertEqual(server.predict({"text": "topic1x0"}, Authorization=f"Bearer {token}")[0], 200, token)
        for token in ("alice", "alice  s3cret-a", "alice s3cret-a", "# who may ask", "s3cret", "sesame", ""):
            self.assertEqual(server.predict({"text": "topic1x0"}, Authorization=f"Bearer {token}")[0], 401, token)
        server.request("GET", "/healthz", headers={"Authorization": "Bearer s3cret-a"})
        wait_for(lambda: len(server.logged()) == 12)
        names = [line.get("token_name") for line in server.logged() if line["status"] == 200 and "model" in line]
        self.assertEqual(names, ["alice", "bob", None, None])
        self.assertEqual([line for line in server.logged() if line["status"] == 401 and "token_name" in line], [])
        logged = pathlib.Path(server.log.name).read_text(encoding="utf-8") + "".join(server.messages)
        for token in ("s3cret", "lonely", "sesame"):
            self.assertNotIn(token, logged)

    def test_token_files_that_are_wrong(self):
        for text, wanted in (("", "no token"), ("# none\n", "no token"), ("a b c\n", ":1: 3 words"),
                             ("a t0ken\n\nb t0ken\n", ":3: the same token is given twice"),
                             ("a t0k\u00e9n\n", ":1: the token is not of ASCII characters")):
            code, line = self.refused("--model", self.model, "--token-file", self.write("wrong", text))
            self.assertEqual(code, 1, line)
            self.assertIn(wanted, line)
            self.assertNotIn("t0k", line)
        self.assertIn("/nowhere", self.refused("--model", self.model, "--token-file", "/nowhere")[1])

    def test_proxies_that_are_trusted_say_who_asks(self):
        server = self.serve("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "2001:db8::7")
        cases = (("203.0.113.9", "203.0.113.9"), ("203.0.113.9, 198.51.100.7", "198.51.100.7"),
                 ("198.51.100.7,2001:DB8:0::7, 127.0.0.1", "198.51.100.7"), ("nonsense", "127.0.0.1"),
                 ("", "127.0.0.1"), ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::9]:4711", "2001:db8::9"))
        for given, _ in cases:
            server.request("GET", "/healthz", headers={"X-Forwarded-For": given})
        wait_for(lambda: len(server.logged()) == len(cases))
        self.assertEqual([line["remote"] for line in server.logged()], [client for _, client in cases])

    def test_others_cannot_say_who_asks(self):
        for more in ((), ("--trusted-proxy", "192.0.2.1")):
            server = self.serve(*more)
            server.request("GET", "/healthz", headers={"X-Forwarded-For": "203.0.113.9"})
            wait_for(lambda: server.logged())
            self.assertEqual(server.logged()[0]["remote"], "127.0.0.1")
        code, line = self.refused("--model", self.model, "--trusted-proxy", "proxy.example")
        self.assertEqual(code, 2)
        self.assertIn("--trusted-proxy proxy.example: not an address", line)

    def test_options_in_a_file(self):
        log = pathlib.Path(self.folder.name) / "access.jsonl"
        config = self.write("serve.json", json.dumps({
            "model": [f"first={self.model}", f"second={self.model}"], "port": 1, "host": "127.0.0.2", "max-body": "1KB",
            "batch-wait": 0.5, "token-file": str(self.write("file_tokens", "carol s3cret\n")),
            "access-log": str(log), "trusted-proxy": "127.0.0.1"}))
        server = served.Server("--config", config, "--host", "127.0.0.1")  # which gives --port and --access-log itself
        self.addCleanup(server.__exit__)
        self.assertEqual(server.predict({"text": "topic1x0"})[0], 401)
        status, _, answer = server.predict({"text": "topic1x0", "model": "second"}, Authorization="Bearer s3cret",
                                           **{"X-Forwarded-For": "203.0.113.9"})
        self.assertEqual((status, answer["model"]), (200, "second"))
        self.assertEqual(server.predict({"text": "x" * 2000}, Authorization="Bearer s3cret")[0], 413)
        wait_for(lambda: len(server.logged()) == 3)
        self.assertEqual([line["remote"] for line in server.logged() if line["status"] == 200], ["203.0.113.9"])
        self.assertFalse(log.exists(), "the command line says another one")

    def test_files_of_options_that_are_wrong(self):
        for text, wanted in (('{"prot": 8080}', 'serve has no option "prot" (did you mean "port"?)'),
                             ('{"max_body": 8}', 'did you mean "max-body"?'), ("[]", "not a JSON object"),
                             ("{", "not a JSON object"), ('{"port": [1, 2]}', '"port" is a list'),
                             ('{"port": true}', '"port" is true, but must be a text or a number'),
                             ('{"model": [{}]}', '"model" is {}'), ('{"batch": 0}', "--batch"),
                             ('{"port": "many"}', "--port"), ('{"config": "x"}', 'no option "config"')):
            config = self.write("wrong.json", text)
            code, line = self.refused("--model", self.model, "--config", config)
            self.assertEqual(code, 2, line)
            self.assertIn(wanted, line)
            self.assertIn("wrong.json", line)
        self.assertIn("--model is required", self.refused()[1])
        code, line = self.refused("--model", self.model, "--config", self.write("open.json", '{"host": "0.0.0.0"}'))
        self.assertEqual(code, 2)
        self.assertIn("--api-token", line)

    def test_terminate_ends_it_well(self):
        server = self.serve()
        self.expect_well(server)
        idle = server.socket()
        self.assertEqual(server.stop(), 0)
        self.assertEqual(idle.recv(1), b"")
        idle.close()

    def test_messages_that_nobody_reads_do_no_harm(self):
        process = subprocess.Popen([served.PROGRAM, "serve", "--port", "0", "--model", self.model],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=served.environment())
        self.addCleanup(process.kill)
        with process:
            process.stderr.readline()
            process.stderr.close()
            process.send_signal(signal.SIGHUP)  # says what it loaded
            time.sleep(1)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(30), 0)

    def serve_telling(self, *arguments, **outputs):
        """The program itself, and the port that its first message tells."""
        process = subprocess.Popen([served.PROGRAM, "serve", "--port", "0", "--model", self.model, *arguments],
                                   env=served.environment(), **outputs)
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        line = (process.stderr or process.stdout).readline().decode()
        return process, int(line.rsplit(":", 1)[1].strip("/\n"))

    def ask_often(self, port, count):
        """Sends requests whose lines in the log are long, many at a time."""
        request = b"GET /" + b"a" * 199 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            for _ in range(count // 100):
                connection.sendall(100 * request)
                answers = b""
                while answers.count(b"HTTP/1.1 404") < 100 or not answers.endswith(b"}"):
                    answers += connection.recv(65536)

    def wait_for_lost_lines(self, port, count):
        """The log has a thread of its own, which a busy machine may keep waiting."""
        end = time.monotonic() + 60
        lost = -1
        while lost < count:
            self.assertLess(time.monotonic(), end, f"{lost} lines are counted as lost")
            asking = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            asking.request("GET", "/metrics")
            text = asking.getresponse().read().decode()
            asking.close()
            lost = int(text.split("\notseq2set_log_lines_lost_total ")[1].split("\n")[0])

    def test_a_log_and_messages_that_nobody_reads_hold_nobody_up(self):
        process, port = self.serve_telling(stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.ask_often(port, 5000)
        self.wait_for_lost_lines(port, 1)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 0)

    def test_a_full_disk_is_told_and_the_lines_are_counted(self):
        process, port = self.serve_telling("--access-log", "/dev/full", stderr=subprocess.PIPE)
        self.ask_often(port, 200)
        self.wait_for_lost_lines(port, 100)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 0)
        told = process.stderr.read().decode()
        self.assertIn("warning: cannot write the access log (No space left on device)", told)
        self.assertEqual(told.count("No space left"), 1)

    def test_too_little_memory_is_told_as_such_and_hurts_nobody_else(self):
        # Large blocks come from the system and go back to it, so that its limit is about them.
        server = self.serve(environment_more={"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"})
        text = json.dumps({"text": "\u0e04\u0e33" * 1000000}, ensure_ascii=False)
        self.expect_well(server)
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
        size = int(status.split("VmSize:")[1].split()[0]) << 10
        statuses = []
        for more in (3, 6, 10, 14, 20, 30):
            limit = size + (more << 20)
            resource.prlimit(server.process.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
            statuses.append(server.predict(text.encode())[0])
            self.expect_well(server)
        self.assertLessEqual(set(statuses), {200, 503})
        self.assertEqual(statuses[0], 503)
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.assertEqual(server.predict(text.encode())[0], 200)
        self.assertEqual(server.stop(), 0)

    def test_a_closed_terminal_loses_nothing_while_it_stops(self):
        server = self.serve()
        slow = server.socket()
        body = json.dumps({"text": "topic1x0"}).encode()
        head = f"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" \
               f"Content-Length: {len(body)}\r\n\r\n"
        slow.sendall(head.encode() + body[:5])
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        slow.sendall(body[5:])
        self.assertIn(b"200 OK", slow.recv(4096))
        slow.close()
        self.assertEqual(server.process.wait(30), 0)

    def test_an_interrupt_while_models_load_ends_it_at_once(self):
        models = [part for i in range(200) for part in ("--model", f"m{i}={self.model}")]
        process = subprocess.Popen([served.PROGRAM, "serve", "--port", "0", *models], stderr=subprocess.PIPE, text=True,
                                   env=served.environment())
        def blocks(number):
            mask = pathlib.Path(f"/proc/{process.pid}/status").read_text().split("SigBlk:")[1].split()[0]
            return int(mask, 16) >> number - 1 & 1

        with process:
            # Until then a signal ends it anyway. All of them are blocked for a moment when a thread is made.
            wait_for(lambda: blocks(signal.SIGINT) and not blocks(signal.SIGUSR1))
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(30), 130)
            self.assertEqual(process.stderr.read(), "")

    def test_nothing_is_lost_when_it_is_terminated_under_load(self):
        server = self.serve()
        answered, lost = [], []

        def client():
            connection = server.connect()
            try:
                while True:
                    connection.request("POST", "/v1/predict", '{"text":"topic1x0 topic2x0"}',
                                       {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    content = json.loads(answer.read())
                    (answered if answer.status == 200 and content["documents"] else lost).append(answer.status)
                    if answer.getheader("Connection") == "close":
                        return
            except (OSError, http.client.HTTPException) as error:
                lost.append(error)
            finally:
                connection.close()

        clients = [threading.Thread(target=client) for _ in range(16)]
        for thread in clients:
            thread.start()
        wait_for(lambda: len(answered) > 200)
        self.assertEqual(server.stop(), 0)
        for thread in clients:
            thread.join()
        self.assertEqual(lost, [])
        self.assertEqual(len([line for line in server.logged() if line["status"] == 200]), len(answered))

    def test_reload_takes_the_new_model_and_drops_no_request(self):
        changing = pathlib.Path(self.folder.name) / "changing"
        shutil.copytree(self.model, changing)
        server = self.serve("--model", f"changing={changing}")
        question = {"text": "topic1x0 topic3x1 topic5x0", "limit": 3, "model": "changing"}
        before = server.predict(question)[2]
        over, statuses = threading.Event(), []

        def client():
            while not over.is_set():
                statuses.append(server.predict(question)[0])

        clients = [threading.Thread(target=client) for _ in range(4)]
        for thread in clients:
            thread.start()
        other = pathlib.Path(self.folder.name) / "other"
        served.train(other, seed=2)
        for file in other.iterdir():
            shutil.copy(file, changing)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: any("reloaded changing" in line for line in server.messages))
        after = server.predict(question)[2]
        # One that is broken leaves what is served as it is.
        (changing / "config.json").write_text("{", encoding="utf-8")
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: any("still using" in line for line in server.messages))
        self.assertEqual(self.rounded(server.predict(question)[2]), self.rounded(after))
        over.set()
        for thread in clients:
            thread.join()
        self.assertNotEqual(self.rounded(before), self.rounded(after))
        self.assertEqual(set(statuses), {200})
        self.assertEqual(server.stop(), 0)

    def test_files_overwritten_in_place_neither_stop_the_server_nor_change_its_answers(self):
        changing = pathlib.Path(self.folder.name) / "overwritten"
        shutil.copytree(self.model, changing)
        server = self.serve("--model", f"changing={changing}")
        question = {"text": "topic1x0 topic3x1 topic5x0", "limit": 3, "model": "changing"}
        before = server.predict(question)[2]["documents"]
        for weights in changing.glob("*.safetensors"):
            os.truncate(weights, 0)
        self.assertEqual(server.predict(question)[2]["documents"], before)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: any("still using" in line for line in server.messages))
        self.assertEqual(server.predict(question)[2]["documents"], before)
        self.assertEqual(server.stop(), 0)

    def test_a_quantised_model_is_served_as_predict_answers(self):
        small = pathlib.Path(self.folder.name) / "small"
        subprocess.run([served.PROGRAM, "quantize", "--model", self.model, "--out", small], check=True,
                       env=served.environment(), stdout=subprocess.DEVNULL)
        text = "topic1x0 topic3x1 topic5x0"
        told = subprocess.run([served.PROGRAM, "predict", "--model", small, "--top-k", "3"], check=True, text=True,
                              env=served.environment(), input=json.dumps({"text": text}) + "\n", capture_output=True)
        server = self.serve("--model", f"small={small}")
        answer = server.predict({"text": text, "limit": 3, "model": "small"})[2]["documents"][0]["labels"]
        self.assertEqual([(label["label"], label["score"]) for label in answer],
                         [(label["label"], label["score"]) for label in json.loads(told.stdout)["labels"]])
        self.assertEqual(server.stop(), 0)

    @staticmethod
    def rounded(answer):
        return [(label["label"], round(label["score"], 4)) for label in answer["documents"][0]["labels"]]

    def test_measures_and_log_tell_what_happened(self):
        server = self.serve()
        self.expect_well(server)
        server.predict({"text": 5})
        server.request("GET", "/nothing?secret=1")
        wait_for(lambda: len(server.logged()) == 3)
        lines = server.logged()
        text = server.request("GET", "/metrics")[2].decode()
        for line in ('otseq2set_requests_total{route="POST /v1/predict",status="200"} 1',
                     'otseq2set_requests_total{route="POST /v1/predict",status="400"} 1',
                     'otseq2set_requests_total{route="",status="404"} 1', 'otseq2set_request_seconds_count{route="POST /v1/predict"} 2',
                     "otseq2set_batch_documents_count 1", "otseq2set_queue_documents 0"):
            self.assertIn(line + "\n", text)
        logged = {line["status"]: line for line in lines}  # each by its own connection, in any order
        good = logged[200]
        self.assertEqual((good["method"], good["path"], good["model"]), ("POST", "/v1/predict", "topics"))
        self.assertEqual((good["documents"], good["remote"]), (1, "127.0.0.1"))
        self.assertEqual(logged[400]["path"], "/v1/predict")
        self.assertEqual(logged[404]["path"], "/nothing")

    def test_connections_that_misbehave(self):
        server = self.serve("--timeout", "1", "--idle-timeout", "1", "--max-body", "100KB")
        cases = (
            (b"GET / HTTP/1.1\r\nHos", b" 408 "),  # and no more
            (HEAD + b"Content-Length: 100\r\n\r\n{", b" 408 "),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b" 400 "),  # TLS
            (b"nonsense\r\n\r\n", b" 400 "),
            (HEAD + b"Content-Length: 1000000\r\n\r\n" + b"x" * 50000, b" 413 "),
            (HEAD + b"Content-Length: 13\r\n\r\n{\"text\":\"\xff\xfe\"}", b" 400 "),
            (HEAD.replace(b"application/json", b"image/png") + b"Content-Length: 2\r\n\r\n{}", b" 415 "),
            (b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n", b" 431 "),
            (b"", b""),  # silence is closed
        )
        for sent, wanted in cases:
            with self.subTest(sent=sent[:60]), server.socket(timeout=20) as connection:
                connection.sendall(sent)
                self.assertIn(wanted, self.all_of(connection)[:16])
        for length in (0, 10, len(HEAD), len(HEAD) + 25):  # cut off midway
            with server.socket() as connection:
                connection.sendall((HEAD + b"Content-Length: 100\r\n\r\n{\"text\":\"")[:length])
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset, not closed
        self.expect_well(server)

    @staticmethod
    def all_of(connection):
        content = b""
        while True:
            try:
                piece = connection.recv(65536)
            except ConnectionResetError:
                return content
            if not piece:
                return content
            content += piece

    def test_a_slow_sender_hears_that_it_is_slow(self):
        server = self.serve("--timeout", "1")
        begin = time.monotonic()
        with server.socket(timeout=20) as connection:
            connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
            connection.settimeout(0.1)
            content = b""
            while not content:
                try:
                    connection.sendall(b" ")
                    content = connection.recv(100)
                except socket.timeout:
                    self.assertLess(time.monotonic() - begin, 20)
        self.assertIn(b" 408 ", content)

    def test_thousands_that_send_nothing_keep_nobody_else_from_it(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = 2000 if hard == resource.RLIM_INFINITY or hard > 2200 else hard - 200
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 200)) if hard >= 0 else count + 200, hard))
        server = self.serve()
        idle = [server.socket() for _ in range(count)]
        try:
            self.expect_well(server)
            text = server.request("GET", "/metrics")[2].decode()
            self.assertGreater(int(text.split("\notseq2set_connections ")[1].split("\n")[0]), count)
            resident = int(text.split("\nprocess_resident_memory_bytes ")[1].split("\n")[0])
            self.assertLess(resident, 1 << 30)
        finally:
            for connection in idle:
                connection.close()
        self.expect_well(server)
        self.assertEqual(server.stop(), 0)

    def test_no_path_reaches_the_file_system(self):
        server = self.serve()
        for path in ("/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page/index.html", "//etc/passwd",
                     "/v1/projects/..%2f..%2fetc%2fpasswd", "/page.js%00.html", f"/v1/projects/{self.model}"):
            status, _, body = server.request("GET", path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"root:", body)


if __name__ == "__main__":
    unittest.main()
