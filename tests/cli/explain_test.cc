// explain as a user runs it: JSON lines for programs, one page for people.
#include <algorithm>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

class Explain : public ::testing::Test {
 protected:
  void SetUp() override { space_.train("model"); }
  Arguments arguments(const Arguments& more = {}) const {
    return Arguments{"explain", "--model", space_.path("model")} + more;
  }
  Outcome explain(const std::string& input, const Arguments& more = {}) const {
    return expect_success(arguments(more), input);
  }
  const Workspace space_{40};
};

std::string document(const std::string& id, const std::string& text) {
  return Json{{"id", id}, {"text", text}}.dump() + "\n";
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_F(Explain, LabelsAreThoseOfPredict) {
  const std::string input = document("a", "topic1x0 topic1x1 topic2x0") + document("b", "topic4x1");
  for (const Arguments& rule : {Arguments{}, {"--top-k", "3"}, {"--threshold", "0.05"}}) {
    const Arguments predict = Arguments{"predict", "--model", space_.path("model")} + rule;
    const std::vector<Json> answers = json_lines(expect_success(predict, input).out);
    const std::vector<Json> explained = json_lines(explain(input, rule).out);
    ASSERT_EQ(explained.size(), answers.size());
    for (size_t i = 0; i < answers.size(); ++i) {
      EXPECT_EQ(explained[i]["id"], answers[i]["id"]);
      ASSERT_EQ(explained[i]["labels"].size(), answers[i]["labels"].size());
      for (size_t j = 0; j < answers[i]["labels"].size(); ++j) {
        Json label = explained[i]["labels"][j];
        EXPECT_FALSE(label["words"].empty());
        label.erase("words");
        EXPECT_EQ(label, answers[i]["labels"][j]);
      }
    }
  }
}

// Places are code points: what Python calls text[begin:end].
TEST_F(Explain, PlacesAndWeights) {
  const std::string text = "\U0001F41F topic1x0—Äther topic1x1";
  const Json line = json_lines(explain(document("a", text), {"--top-k", "2"}).out).at(0);
  EXPECT_EQ(line["words_read"], 3);
  EXPECT_FALSE(line.contains("cut"));
  for (const Json& label : line["labels"]) {
    double sum = 0;
    std::vector<std::pair<int, std::string>> places;
    for (const Json& word : label["words"]) {
      sum += word["weight"].get<double>();
      places.emplace_back(word["begin"], word["word"]);
      EXPECT_FALSE(word.contains("fall"));
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    std::sort(places.begin(), places.end());
    const std::vector<std::pair<int, std::string>> expected = {{2, "topic1x0"}, {11, "Äther"}, {17, "topic1x1"}};
    EXPECT_EQ(places, expected);
  }
}

TEST_F(Explain, LongDocumentsSayWhereTheyWereCut) {
  std::string text = "ö ";
  for (int i = 0; i < 12; ++i) text += "topic1x0 ";  // max_words is 10
  const Json line = json_lines(explain(document("a", text), {"--top-k", "1", "--words", "100"}).out).at(0);
  EXPECT_EQ(line["words_read"], 10);
  EXPECT_EQ(line["cut"], 2 + 9 * 9);
  EXPECT_EQ(line["labels"][0]["words"].size(), 10u);
}

TEST_F(Explain, NumberOfWordsAndLeavingOut) {
  const std::string input = document("a", "topic1x0 topic1x1 topic2x0 topic2x1 topic1x0");
  const Json line = json_lines(explain(input, {"--top-k", "2", "--words", "2", "--leave-out"}).out).at(0);
  for (const Json& label : line["labels"]) {
    ASSERT_EQ(label["words"].size(), 2u);
    EXPECT_GE(label["words"][0]["weight"], label["words"][1]["weight"]);
    for (const Json& word : label["words"]) {
      EXPECT_LE(word["fall"].get<double>(), label["score"].get<double>() + 1e-6);
    }
  }
}

// What leaving out says is what predict says of the document without the word.
TEST_F(Explain, FallAgreesWithPredict) {
  const Json line =
      json_lines(explain(document("a", "topic1x0 topic2x0 Topic1x0"), {"--top-k", "8", "--leave-out"}).out).at(0);
  const Arguments predict = {"predict", "--model", space_.path("model"), "--top-k", "8"};
  const Json without = json_lines(expect_success(predict, document("a", "topic2x0")).out).at(0);
  for (const Json& label : line["labels"]) {
    double score = -1;
    for (const Json& other : without["labels"]) {
      if (other["label"] == label["label"]) score = other["score"];
    }
    for (const Json& word : label["words"]) {
      if (word["word"] == "topic2x0") continue;
      EXPECT_NEAR(word["fall"].get<double>(), label["score"].get<double>() - score, 1e-5) << label;
    }
  }
}

TEST_F(Explain, SameBytesOnAnyNumberOfThreads) {
  const std::string input = small_corpus(20, 3);
  const Arguments more = {"--top-k", "3", "--leave-out"};
  EXPECT_EQ(explain(input, more + Arguments{"--threads", "1"}).out,
            explain(input, more + Arguments{"--threads", "3"}).out);
}

TEST_F(Explain, BrokenDocumentsDoNotStopTheOthers) {
  const std::string input = "not JSON\n" + document("b", "topic1x0") + document("c", "...");
  const Outcome json = explain(input, {"--top-k", "1"});
  const std::vector<Json> lines = json_lines(json.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].contains("error"));
  EXPECT_EQ(lines[1]["labels"].size(), 1u);
  EXPECT_NE(lines[2]["error"].get<std::string>().find("no words"), std::string::npos);
  EXPECT_NE(json.err.find("2 documents could not be read"), std::string::npos) << json.err;
  const Outcome html = explain(input, {"--top-k", "1", "--output-format", "html"});
  EXPECT_EQ(count(html.out, "<article"), 3u);
  EXPECT_EQ(count(html.out, "class=\"error\""), 2u);
}

TEST_F(Explain, BytesThatAreNotUtf8) {
  const std::string input = "__label__x topic1x0 \xff\xfe topic1x1\n";
  const Arguments format = {"--top-k", "1", "--format", "fasttext"};
  const Json line = json_lines(explain(input, format).out).at(0);
  EXPECT_EQ(line["labels"][0]["words"].size(), 2u);
  EXPECT_NE(explain(input, format + Arguments{"--output-format", "html"}).out.find("\xef\xbf\xbd"), std::string::npos);
}

// What is right is known where the data has labels, and only there.
TEST_F(Explain, TrueLabels) {
  const std::string input = document("none", "topic1x0") +
                            Json{{"id", "one"}, {"text", "topic1x0"}, {"labels", {"label_1", "new <one>"}}}.dump() +
                            "\n" + Json{{"id", "faulty"}, {"text", "topic1x0"}, {"labels", 7}}.dump() + "\n";
  const Arguments all = {"--top-k", "8"};
  const std::vector<Json> lines = json_lines(explain(input, all).out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_FALSE(lines[0].contains("true_labels"));
  EXPECT_EQ(lines[1].at("true_labels"), (Json{"label_1", "new <one>"}));
  EXPECT_FALSE(lines[2].contains("true_labels"));
  EXPECT_EQ(lines[2].at("labels").size(), 8u);

  const std::string page = explain(input, all + Arguments{"--output-format", "html"}).out;
  EXPECT_EQ(count(page, ">right</span>"), 1u);
  EXPECT_EQ(count(page, ">wrong</span>"), 7u);
  EXPECT_EQ(count(page, "label_1 <span class=\"verdict right\">right</span>"), 1u);
  EXPECT_EQ(count(page, ">missed"), 1u);
  EXPECT_EQ(count(page, "new &lt;one&gt;</span> <span class=\"verdict wrong\">missed, unknown to the model</span>"),
            1u);
}

TEST_F(Explain, TrueLabelsOfAnyFormat) {
  const std::string texts = space_.write("texts.txt", "topic1x0\n");
  const std::string names = space_.write("names.txt", "label_0\nlabel_1\n");
  const auto truth = [&](const std::string& data, const Arguments& more) {
    const Json line = json_lines(explain(data, more).out).at(0);
    return line.contains("true_labels") ? line.at("true_labels") : Json();
  };
  const Json expected = Json::array({"label_1"});
  EXPECT_EQ(truth("__label__label_1 topic1x0\n", {}), expected);
  EXPECT_EQ(truth("label_1\ttopic1x0\n", {}), expected);
  EXPECT_EQ(truth("topic1x0\t<label_1>\n", {"--format", "annif-tsv"}), expected);
  EXPECT_EQ(truth("topic1x0\n", {"--format", "annif-tsv"}), Json());
  EXPECT_EQ(truth("text,subject_uris\ntopic1x0,<label_1>\n", {}), expected);
  EXPECT_EQ(truth("text,document_id\ntopic1x0,1\n", {}), Json());
  EXPECT_EQ(truth("1\ttopic1x0\n", {"--label-names", names}), expected);
  EXPECT_EQ(truth("label_1\n", {"--data", texts, "--labels", "-"}), expected);
}

// Texts, ids and names of labels are hostile.
TEST_F(Explain, PageEscapesEverything) {
  const std::string label = "</span><script>alert(1)</script><img src=x onerror=\"alert(2)\">'";
  std::string corpus;
  for (int i = 0; i < 12; ++i) {
    corpus += Json{{"id", "\"><b>"}, {"text", "<i>word</i> & </script>"}, {"labels", {label}}}.dump() + "\n";
  }
  space_.write("data.jsonl", corpus);
  space_.train("hostile", {"--set", "training.epochs=1"});
  const Outcome outcome = expect_success({"explain", "--model", space_.path("hostile"), "--data", space_.data(),
                                          "--top-k", "1", "--leave-out", "--output-format", "html"});
  const std::string& page = outcome.out;
  EXPECT_EQ(count(page, "<article"), 12u);
  EXPECT_EQ(count(page, "<script"), 13u) << "the places of each document, and the page's own";
  for (const char* tag : {"<img", "<i>", "<b>", "</script><img", "style=", "http://", "https://"}) {
    EXPECT_EQ(page.find(tag), std::string::npos) << tag;
  }
  EXPECT_NE(page.find("&lt;i&gt;word&lt;/i&gt; &amp; &lt;/script&gt;"), std::string::npos);
  EXPECT_NE(page.find("onerror=&quot;alert(2)&quot;&gt;&#39;"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'; style-src 'sha256-"), std::string::npos);
}

TEST_F(Explain, WritesAFile) {
  const std::string path = space_.path("page.html");
  const Outcome outcome = explain(document("a", "topic1x0"), {"--output-format", "html", "--out", path});
  EXPECT_EQ(outcome.out, "");
  const std::string page = contents(path);
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_EQ(page.substr(page.size() - 8), "</html>\n");
  expect_no_temporary_files(space_.path(""));
  expect_failure(run_program(arguments({"--out", space_.path("no/such/folder")}), document("a", "b")), kFailure,
                 {"cannot write"});
}

TEST_F(Explain, WrongUsage) {
  expect_failure(run_program(arguments({"--output-format", "pdf"})), kWrongUsage, {"--output-format", "html"});
  expect_failure(run_program(arguments({"--words", "0"})), kWrongUsage, {"--words"});
  expect_failure(run_program(arguments({"--threshold", "2"})), kWrongUsage, {"--threshold"});
  expect_failure(run_program({"explain", "--data", "x"}), kWrongUsage, {"--model"});
  expect_failure(run_program(arguments({"--data", space_.path("none.jsonl")})), kFailure, {"none.jsonl"});
}

}  // namespace
}  // namespace otseq2set::testing
