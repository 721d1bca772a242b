// predict on documents that cannot be read: their lines say so, the others are answered.
#include <algorithm>
#include <cmath>

#include "cli/workspace.h"
#include "support/packing.h"

namespace otseq2set::testing {
namespace {

class Predict : public ::testing::Test {
 protected:
  void SetUp() override { space_.train("model"); }
  Outcome predict(const std::string& input, const Arguments& more = {}) {
    return expect_success(Arguments{"predict", "--model", space_.path("model")} + more, input);
  }
  const Workspace space_{40};
};

// The same labels with the same scores, but for rounding in batches of other shapes.
void expect_like(const Json& answer, const Json& expected) {
  ASSERT_EQ(answer.at("id"), expected.at("id"));
  ASSERT_EQ(answer.at("labels").size(), expected.at("labels").size()) << answer;
  for (size_t i = 0; i < answer.at("labels").size(); ++i) {
    EXPECT_EQ(answer.at("labels")[i].at("label"), expected.at("labels")[i].at("label"));
    EXPECT_NEAR(answer.at("labels")[i].at("score"), expected.at("labels")[i].at("score"), 1e-5);
  }
}

TEST_F(Predict, ATextALine) {
  const std::vector<Json> expected =
      json_lines(predict("{\"id\":1,\"text\":\"topic1x0\\ttopic1x1\"}\n{\"id\":3,\"text\":\"{topic2x0\"}\n").out);
  const std::string texts = "topic1x0\ttopic1x1\n\n{topic2x0\n";
  const std::vector<Json> lines = json_lines(predict(texts, {"--format", "text"}).out);
  ASSERT_EQ(lines.size(), 2u);
  for (size_t i = 0; i < lines.size(); ++i) expect_like(lines[i], expected[i]);
  EXPECT_EQ(json_lines(expect_success({"explain", "--model", space_.path("model"), "--format", "text"}, texts).out)
                .at(1)
                .at("id"),
            "3");

  const std::string data = space_.write("texts.txt", "topic1x0\ntopic2x0\n");
  expect_failure(run_program({"predict", "--model", space_.path("model"), "--data", data}), kFailure,
                 {"the format is not recognised", "--format text reads every line as a text"});
  const Arguments as_text = {"--data", data, "--format", "text"};
  const std::string refused = "the format text has no labels; it is for predict and explain";
  expect_failure(run_program(Arguments{"train", "--model", space_.path("other")} + as_text), kWrongUsage, {refused});
  expect_failure(run_program(Arguments{"eval", "--model", space_.path("model")} + as_text), kWrongUsage, {refused});
  expect_failure(run_program({"convert", "--data", space_.data(), "--to", "text"}), kWrongUsage,
                 {"the format text has no labels"});
}

TEST_F(Predict, BrokenDocumentsDoNotStopTheOthers) {
  const std::vector<std::string> good = {R"({"id":"first","text":"topic1x0 topic1x1"})",
                                         R"({"id":"second","text":"topic2x0 topic3x1 never seen words"})",
                                         R"({"id":17,"text":"topic4x0"})"};
  const std::vector<Json> alone =
      json_lines(predict(good[0] + "\n" + good[1] + "\n" + good[2] + "\n", {"--top-k", "3"}).out);
  ASSERT_EQ(alone.size(), 3u);

  const std::string mixed = good[0] + "\nnot JSON at all\n" + R"({"id":"no text"})" + "\n" +
                            R"({"id":"blank","text":"  "})" + "\n" + good[1] + "\n" +
                            R"({"id":"no words","text":"!!! ... ???"})" + "\n[1,2]\n\n" + R"({"id":"cut","te)" + "\n" +
                            good[2];  // and no line feed at the end
  const Outcome outcome = predict(mixed, {"--top-k", "3"});
  const std::vector<Json> lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 9u) << outcome.out;
  expect_like(lines[0], alone[0]);
  expect_like(lines[4], alone[1]);
  expect_like(lines[8], alone[2]);
  const std::vector<std::pair<size_t, std::string>> broken = {{1, "standard input:2:"}, {2, "standard input:3:"},
                                                              {3, "standard input:4:"}, {5, "standard input:6:"},
                                                              {6, "standard input:7:"}, {7, "standard input:9:"}};
  for (const auto& [line, place] : broken) {
    ASSERT_TRUE(lines[line].contains("error")) << lines[line];
    EXPECT_FALSE(lines[line].contains("labels")) << lines[line];
    EXPECT_EQ(lines[line].at("error").get<std::string>().rfind(place, 0), 0u) << lines[line];
  }
  EXPECT_EQ(lines[2].at("id"), "no text");
  EXPECT_EQ(lines[3].at("id"), "blank");
  EXPECT_EQ(lines[5].at("id"), "no words");
  EXPECT_NE(outcome.err.find("6 documents could not be read"), std::string::npos) << outcome.err;
}

TEST_F(Predict, NothingButBrokenDocuments) {
  const Outcome outcome = predict("{\"\n{\"\n");
  const std::vector<Json> lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 2u);
  for (const Json& line : lines) EXPECT_TRUE(line.contains("error")) << line;
  EXPECT_NE(outcome.err.find("2 documents could not be read"), std::string::npos) << outcome.err;
}

TEST_F(Predict, WithoutErrorsNoneAreReported) {
  EXPECT_EQ(predict(small_corpus(3, 5)).err.find("could not be read"), std::string::npos);
}

// More documents than are read at once, of all lengths: order and count are kept.
TEST_F(Predict, ManyDocumentsKeepTheirOrder) {
  std::string corpus;
  for (int i = 0; i < 2500; ++i) {
    const std::string text(static_cast<size_t>(2 * (1 + i * 7 % 40)), i % 2 == 0 ? 'a' : 'b');
    corpus += i % 1000 == 999 ? "broken\n" : R"({"id":)" + std::to_string(i) + R"(,"text":")" + text + "\"}\n";
  }
  const Outcome outcome = predict(corpus);
  const std::vector<Json> lines = json_lines(outcome.out);
  ASSERT_EQ(lines.size(), 2500u);
  for (int i = 0; i < 2500; ++i) {
    EXPECT_EQ(lines[i].at("id"),
              std::to_string(i % 1000 == 999 ? i + 1 : i));  // a broken line has its number
    EXPECT_EQ(lines[i].contains("error"), i % 1000 == 999);
  }
}

// The same answers in every form of output.
TEST_F(Predict, OutputFormats) {
  const std::string input = R"({"id":"a","text":"topic1x0 topic1x1"})"
                            "\nbroken\n"
                            R"({"id":"b","text":"topic2x0 topic3x1"})"
                            "\n";
  const std::vector<Json> expected = json_lines(predict(input, {"--top-k", "2"}).out);
  std::vector<std::string> labels;  // as the model numbers them
  for (const Json& line : json_lines(contents(space_.path("model/labels.jsonl")))) labels.push_back(line["label"]);
  std::string fasttext, libmultilabel, xc = "3 " + std::to_string(labels.size()) + "\n", annif;
  for (const Json& answer : expected) {
    bool first = true;
    for (const Json& label : answer.value("labels", Json::array())) {
      const std::string name = label["label"], score = label["score"].dump(), space = first ? "" : " ";
      const auto index = std::find(labels.begin(), labels.end(), name) - labels.begin();
      char four[16];
      std::snprintf(four, sizeof four, "%.4f", label["score"].get<float>());
      fasttext += space + "__label__" + name + " ";
      libmultilabel += space + name + ":";
      xc += space + std::to_string(index) + ":";
      for (std::string* text : {&fasttext, &libmultilabel, &xc}) *text += score;
      annif += "<" + name + ">\t" + name + "\t" + four + "\n";
      first = false;
    }
    for (std::string* text : {&fasttext, &libmultilabel, &xc, &annif}) *text += "\n";
  }
  for (const auto& [format, text] : std::vector<std::pair<std::string, std::string>>{
           {"fasttext", fasttext}, {"libmultilabel", libmultilabel}, {"xc", xc}, {"annif", annif}}) {
    const Outcome outcome = predict(input, {"--top-k", "2", "--output-format", format});
    EXPECT_EQ(outcome.out, text) << format;
    EXPECT_NE(outcome.err.find("warning: standard input:2: not JSON"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("1 documents could not be read; their answers have no labels"), std::string::npos);
  }
  expect_failure(run_program({"predict", "--model", space_.path("model"), "--output-format", "csv"}), 2,
                 {"--output-format", "jsonl"});
}

// Documents to predict need no labels in any format.
TEST_F(Predict, InputFormats) {
  const std::string expected = predict("{\"text\":\"topic1x0 topic1x1\"}\n").out;
  for (const char* input : {"topic1x0 topic1x1\t\n", "__label__x topic1x0 topic1x1\n", "7\ttopic1x0 topic1x1\n",
                            "3,4::0.5\ttopic1x0 topic1x1\n", "text,document_id\ntopic1x0 topic1x1,1\n"}) {
    const bool tsv = std::string(input).find("x1\t") != std::string::npos;
    const Arguments more = tsv ? Arguments{"--format", "annif-tsv"} : Arguments{};
    expect_like(json_lines(predict(input, more).out).at(0), json_lines(expected).at(0));
  }
  EXPECT_EQ(predict("topic1x0 topic1x1\n", {"--format", "attentionxml"}).out, expected);
  expect_failure(run_program({"predict", "--model", space_.path("model")}, "topic1x0 topic1x1\n"), 1,
                 {"standard input:1: the format is not recognised", "--format text"});
}

// URIs as labels, names for people: both come back.
TEST_F(Predict, DisplayNames) {
  std::string corpus;
  for (int i = 0; i < 12; ++i) {
    corpus += R"({"text":"some word","subjects":[{"uri":"http://a/1","label":"Fish & chips"},{"uri":"u"}]})"
              "\n";
  }
  space_.write("data.jsonl", corpus);
  space_.train("named", {"--set", "training.epochs=1"});
  const Arguments predict = {"predict", "--model", space_.path("named"), "--data", space_.data(), "--top-k", "2"};
  for (const Json& line : json_lines(expect_success(predict).out)) {
    for (const Json& label : line.at("labels")) {
      EXPECT_EQ(label.value("name", ""), label.at("label") == "u" ? "" : "Fish & chips");
      EXPECT_EQ(label.contains("name"), label.at("label") != "u");
    }
  }
  const Outcome annif = expect_success(predict + Arguments{"--output-format", "annif"});
  EXPECT_NE(annif.out.find("<http://a/1>\tFish & chips\t0."), std::string::npos) << annif.out;
}

// Names that JSON has to escape come out as they went in.
TEST_F(Predict, OddNames) {
  const std::string label = "a \"quoted\\\" label\twith ünïcode ☃";
  const std::string id = "id \"1\"\n";
  std::string corpus;
  for (int i = 0; i < 12; ++i) {
    corpus += Json{{"id", id}, {"text", "word"}, {"labels", {label}}}.dump() + "\n";
  }
  space_.write("data.jsonl", corpus);
  space_.train("odd", {"--set", "training.epochs=1"});
  const Outcome outcome =
      expect_success({"predict", "--model", space_.path("odd"), "--data", space_.data(), "--top-k", "1"});
  for (const Json& line : json_lines(outcome.out)) {
    EXPECT_EQ(line.at("id"), id);
    EXPECT_EQ(line.at("labels").at(0).at("label"), label);
  }
}

// 320 MB of text in a file of a few KB: only some of it is in memory at a time.
TEST(PredictMemory, LongDocumentsAreNotAllInMemory) {
  const Workspace space(40);
  space.train("model", {"--set", "text.tokenizer=whitespace"});
  const std::string line = zstd(std::string(8'000'000, 'a') + "\n");
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += line;
  const Outcome outcome = run_in_shell(
      "exec python3 -c 'import resource, subprocess, sys\n"
      "code = subprocess.run(sys.argv[1:]).returncode\n"
      "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)\n"
      "sys.exit(code)' \"$@\"",
      {"predict", "--model", space.path("model"), "--format", "text", "--data", space.write("bomb.zst", lines)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 40u);
  EXPECT_LT(std::stol(outcome.last_error_line()), 200000) << "kilobytes";
}

}  // namespace
}  // namespace otseq2set::testing
