"""The interfaces of the server as clients use them: our own, Annif's, and their description."""

import json
import pathlib
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

import schema
import served


class AnnifClient:
    """Written to the description of Annif's protocol, with no knowledge of this server."""

    def __init__(self, base):
        self.base = base

    def _ask(self, path, data=None, content_type=None):
        headers = {"Content-Type": content_type} if content_type else {}
        with urllib.request.urlopen(urllib.request.Request(self.base + path, data, headers)) as answer:
            return json.load(answer)

    def projects(self):
        return self._ask("projects")["projects"]

    def project(self, project_id):
        return self._ask(f"projects/{urllib.parse.quote(project_id)}")

    def suggest(self, project_id, text, **options):
        form = urllib.parse.urlencode({"text": text, **options}).encode()
        return self._ask(f"projects/{project_id}/suggest", form, "application/x-www-form-urlencoded")["results"]

    def suggest_batch(self, project_id, documents, **options):
        query = "?" + urllib.parse.urlencode(options) if options else ""
        body = json.dumps({"documents": documents}).encode()
        return self._ask(f"projects/{project_id}/suggest-batch{query}", body, "application/json")


class Api(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = pathlib.Path(cls.folder.name) / "topics"
        served.train(cls.model)
        cls.server = served.Server("--model", cls.model, "--model", f"again={cls.model}")
        _, _, body = cls.server.request("GET", "/v1/openapi.json")
        cls.description = schema.Description(json.loads(body))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    def ask(self, method, path, pattern, body=None, content_type=None):
        """The parsed answer, after it was held against the description."""
        headers = {"Content-Type": content_type} if content_type else {}
        status, fields, content = self.server.request(method, path, body, headers)
        value = json.loads(content)
        faults = self.description.faults_of_answer(method, pattern, status, fields["Content-Type"], value)
        self.assertEqual(faults, [])
        return status, value

    def predict(self, question):
        return self.ask("POST", "/v1/predict", "/v1/predict", json.dumps(question), "application/json")

    def test_answers_are_those_of_predict(self):
        texts = [json.loads(line)["text"] for line in served.corpus(30, seed=7).splitlines()]
        lines = "".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts))
        run = subprocess.run([served.PROGRAM, "predict", "--model", self.model], input=lines, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=True, env=served.environment())
        expected = [json.loads(line) for line in run.stdout.splitlines()]
        question = {"documents": [{"id": str(i), "text": text} for i, text in enumerate(texts)]}
        self.assertEqual(self.description.faults_of_request("POST", "/v1/predict", question), [])
        status, answer = self.predict(question)
        self.assertEqual(status, 200)
        self.assertEqual(answer["model"], "topics")
        self.assertTrue(any(document["labels"] for document in answer["documents"]))
        for given, wanted in zip(answer["documents"], expected, strict=True):
            self.assertEqual(given["id"], wanted["id"])
            self.assertEqual([label["label"] for label in given["labels"]],
                             [label["label"] for label in wanted["labels"]])
            for label, other in zip(given["labels"], wanted["labels"]):
                self.assertAlmostEqual(label["score"], other["score"], places=5)
                self.assertEqual(label["name"], other["name"])

    def test_limit_and_threshold(self):
        _, three = self.predict({"text": "topic1x0 topic2x1", "limit": 3})
        scores = [label["score"] for label in three["documents"][0]["labels"]]
        self.assertEqual(len(scores), 3)
        self.assertEqual(scores, sorted(scores, reverse=True))
        _, above = self.predict({"text": "topic1x0 topic2x1", "threshold": scores[1]})
        self.assertEqual(len(above["documents"][0]["labels"]), 2)
        _, everything = self.predict({"text": "topic1x0 topic2x1", "threshold": 0})
        self.assertEqual(len(everything["documents"][0]["labels"]), served.LABELS)

    def test_explanations_point_into_the_text_by_code_points(self):
        text = "größer \U0001d54f topic1x0, TOPIC2X1!"
        status, answer = self.predict({"text": text, "limit": 2, "explain": True})
        self.assertEqual(status, 200)
        for label in answer["documents"][0]["labels"]:
            words = [text[word["begin"]:word["end"]] for word in label["words"]]
            self.assertTrue(set(words) <= {"größer", "\U0001d54f", "topic1x0", "TOPIC2X1"}, words)
            self.assertIn("TOPIC2X1", words)
            self.assertAlmostEqual(sum(word["weight"] for word in label["words"]), 1, places=3)

    def test_leaving_a_word_out_costs_its_label(self):
        text = "topic1x0, TOPIC2X1!"
        _, answer = self.predict({"text": text, "limit": 3, "explain": True, "leave_out": True})
        _, shorter = self.predict({"text": text.replace("TOPIC2X1", ""), "threshold": 0})
        without = {label["label"]: label["score"] for label in shorter["documents"][0]["labels"]}
        for label in answer["documents"][0]["labels"]:
            for word in label["words"]:
                if text[word["begin"]:word["end"]] == "TOPIC2X1":
                    self.assertAlmostEqual(word["fall"], label["score"] - without[label["label"]], places=5)
            self.assertIn("fall", label["words"][0])
        self.assertEqual(self.predict({"text": text, "leave_out": True})[0], 400)

    def test_says_where_reading_was_cut(self):
        text = "\U0001d54f " * 9 + "größer topic1x0 topic2x1"  # the model reads ten words
        _, answer = self.predict({"text": text, "explain": True})
        document = answer["documents"][0]
        self.assertEqual((document["words_total"], document["words_read"]), (12, 10))
        self.assertEqual(text[document["cut"]:], "topic1x0 topic2x1")
        _, answer = self.predict({"text": "topic1x0", "explain": True})
        self.assertEqual(answer["documents"][0]["words_read"], 1)
        self.assertNotIn("cut", answer["documents"][0])

    def test_texts_without_words_have_no_labels(self):
        for explain in (False, True):
            _, answer = self.predict({"documents": [{"text": ""}, {"text": "!!!"}, {"text": "topic1x0"}], "limit": 1,
                                      "explain": explain})
            self.assertEqual([len(document["labels"]) for document in answer["documents"]], [0, 0, 1])

    def test_no_documents(self):
        self.assertEqual(self.predict({"documents": []})[1]["documents"], [])

    def test_problems(self):
        for question, status in (({"text": 5}, 400), ({"text": "a", "model": "../topics"}, 404), ({}, 400),
                                 ({"text": "a", "limit": -1}, 400), ({"text": "a", "other": 1}, 400)):
            self.assertEqual(self.predict(question)[0], status)
        self.assertEqual(self.ask("POST", "/v1/predict", "/v1/predict", "text=a", "text/plain")[0], 415)
        self.assertEqual(self.ask("POST", "/v1/predict", "/v1/predict", b'{"text":"\xff"}', "application/json")[0], 400)
        self.assertEqual(self.ask("GET", "/v1/projects/none", "/v1/projects/{project_id}")[0], 404)

    def test_every_described_address_answers_as_described(self):
        tried = {"/metrics": None}  # text
        for path, pattern in (("/healthz", "/healthz"), ("/v1/projects", "/v1/projects"),
                              ("/v1/openapi.json", "/v1/openapi.json"),
                              ("/v1/projects/again", "/v1/projects/{project_id}")):
            status, _ = self.ask("GET", path, pattern)
            self.assertEqual(status, 200)
            tried[pattern] = status
        form = urllib.parse.urlencode({"text": "topic1x0", "limit": 3})
        for path, body, content_type in (
                ("suggest", form, "application/x-www-form-urlencoded"),
                ("suggest-batch", json.dumps({"documents": [{"text": "topic3x0"}]}), "application/json")):
            pattern = "/v1/projects/{project_id}/" + path
            self.assertEqual(self.ask("POST", f"/v1/projects/topics/{path}", pattern, body, content_type)[0], 200)
            tried[pattern] = 200
        tried["/v1/predict"] = self.predict({"text": "topic1x0", "explain": True})[0]
        self.assertEqual(set(tried), set(self.description.document["paths"]))

    def test_the_description_would_notice(self):
        answer = {"model": "m", "documents": [{"id": "1", "labels": [{"label": "a", "name": "a", "score": 0.5}]}]}

        def faults():
            return self.description.faults_of_answer("POST", "/v1/predict", 200, "application/json", answer)

        self.assertEqual(faults(), [])
        answer["documents"][0]["labels"][0]["score"] = 2
        self.assertEqual(len(faults()), 1)
        answer["documents"][0]["labels"][0] = {"label": "a", "score": 0.5, "surprise": None}
        self.assertEqual(len(faults()), 2)

    def test_an_annif_client_gets_suggestions(self):
        client = AnnifClient(f"http://127.0.0.1:{self.server.port}/v1/")
        projects = client.projects()
        self.assertEqual([project["project_id"] for project in projects], ["topics", "again"])
        project = client.project("again")
        self.assertTrue(project["is_trained"])
        self.assertEqual(project["backend"]["backend_id"], "otseq2set")

        hits = client.suggest("again", "topic1x0 topic1x1")
        self.assertGreater(len(hits), 0)
        self.assertLessEqual(len(hits), 10)
        for hit in hits:
            self.assertRegex(hit["uri"], r"^http://example\.org/\d$")
            self.assertEqual(hit["label"], f"Topic <b>{hit['uri'][-1]}</b>")
            self.assertGreater(hit["score"], 0)
        self.assertEqual(len(client.suggest("again", "topic1x0", limit=2)), 2)
        self.assertEqual(client.suggest("again", "topic1x0", threshold=1.0, limit=2), [])

        batch = client.suggest_batch("again", [{"text": "topic1x0 topic1x1", "document_id": "a"}, {"text": "..."}], limit=4)
        self.assertEqual([answer["document_id"] for answer in batch], ["a", None])
        self.assertEqual([hit["uri"] for hit in batch[0]["results"]], [hit["uri"] for hit in hits[:4]])
        self.assertEqual(batch[1]["results"], [])

        for call in (lambda: client.project("none"), lambda: client.suggest("none", "text")):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                call()
            self.assertEqual(caught.exception.code, 404)
            self.assertEqual(caught.exception.headers["Content-Type"], "application/problem+json")
            self.assertEqual(json.load(caught.exception)["status"], 404)
        with self.assertRaises(urllib.error.HTTPError) as caught:
            client.suggest_batch("again", [{"text": "a"}] * 33)
        self.assertEqual(caught.exception.code, 400)
        caught.exception.close()


if __name__ == "__main__":
    unittest.main()
