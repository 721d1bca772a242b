// check: the report, its JSON and the exit codes.
#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

TEST(Check, CleanDataAndItsTable) {
  const Workspace space(64);
  const Outcome outcome = expect_success({"check", "--data", space.data()});
  EXPECT_NE(outcome.out.find("documents (N)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("this suggests --set loss.scheme="), std::string::npos) << outcome.out;
}

TEST(Check, ProblemsGiveExitCode1AndRemarksDoNot) {
  const Workspace space(0);
  const std::string good = R"({"id":"a","text":"one two three","labels":["x","y"]})";
  const std::string remark = space.write("remark.jsonl", good + "\n" + good + "\n");
  const Outcome outcome =
      expect_success({"check", "--data", remark, "--set", "model.max_words=60", "--set", "model.steps=1"});
  EXPECT_NE(outcome.out.find("    " + remark + ":2: same as " + remark + ":1\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("    " + remark + ":1: 2 labels, but model.steps is 1\n"), std::string::npos);
  const std::string broken = space.write("broken.jsonl", good + "\n{\n");
  const Outcome refused = run_program({"check", "--data", broken, "--valid", remark});
  expect_failure(refused, kFailure, {"training would refuse this data"});
  EXPECT_NE(refused.out.find("    " + broken + ":2: not JSON"), std::string::npos) << refused.out;
}

TEST(Check, JsonIsOneObject) {
  const Workspace space(64);
  const std::string broken = space.write("broken.jsonl", contents(space.data()) + "{\n{\n{\n");
  const Outcome outcome = run_program(
      {"check", "--data", broken, "--valid", space.data(), "--json", "--max-places", "2", "--preset", "cpu_small"});
  EXPECT_EQ(outcome.code, kFailure);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("refused"), true);
  EXPECT_EQ(json.at("findings").at(0).at("kind"), "unreadable_document");
  EXPECT_EQ(json.at("findings").at(0).at("count"), 3);
  EXPECT_EQ(json.at("findings").at(0).at("places").size(), 2u);
  EXPECT_EQ(json.at("train").at("documents"), 64);
  EXPECT_EQ(json.at("valid").at("documents"), 64);
  EXPECT_EQ(json.at("labels"), kSmallCorpusLabels);
}

TEST(Check, ShowsHowTheFilesAreRead) {
  const Workspace space(0);
  const std::string data =
      space.write("data.jsonl", "{\"text\":5,\"labels\":[]}\n{\"id\":7,\"text\":\"The EU sets quotas\\n" +
                                    std::string(90, 'x') + "\",\"labels\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]}\n");
  const std::string valid = space.write("valid.tsv", "a text\t<http://a/1>\n");
  const Arguments arguments = {"check", "--data", data, "--valid", valid};
  const Outcome outcome = run_program(arguments);
  const std::string shown = "The EU sets quotas\\n" + std::string(61, 'x') + "...";
  EXPECT_EQ(outcome.out.find(data + ": jsonl; first document: id 7, 5 words: \"" + shown +
                             "\", labels a, b, c, d, e and 1 more\n" + valid +
                             ": annif-tsv; first document: id 1, 2 words: \"a text\", labels http://a/1\n"),
            0u)
      << outcome.out;
  const Json json = Json::parse(run_program(arguments + Arguments{"--json"}).out);
  EXPECT_EQ(json.at("train").at("format"), "jsonl");
  EXPECT_EQ(json.at("train").at("first_document"),
            (Json{{"id", "7"}, {"words", 5}, {"text", shown}, {"labels", {"a", "b", "c", "d", "e", "f"}}}));
  EXPECT_EQ(json.at("valid").at("format"), "annif-tsv");
}

TEST(Check, TextsThatAreHardlyTexts) {
  const Workspace space(0);
  std::string ids;
  for (int i = 0; i < 101; ++i) ids += "x\tdoc-" + std::to_string(i) + "\n";
  const std::string data = space.write("data.tsv", ids);
  const Outcome outcome = expect_success({"check", "--data", data});
  EXPECT_NE(outcome.out.find("    " + data + ": 102 different words, 2.0 per document; is this the text?\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(expect_success({"check", "--data", Workspace(120).data()}).out.find("hardly"), std::string::npos);
}

TEST(Check, LabelNamesOfOtherLabels) {
  const Workspace space(0);
  const std::string data = space.write("data.tsv", "a text\t<http://a/1> <http://a/2>\n");
  const auto names = [&](const std::string& label) { return space.write("names.tsv", label + "\tName\n"); };
  const Outcome some = expect_success({"check", "--data", data, "--label-names", names("http://a/1")});
  EXPECT_NE(some.out.find("remark: 1 labels of training documents that --label-names does not name\n    " + data +
                          ":1: 'http://a/2'\n"),
            std::string::npos)
      << some.out;
  const Outcome none = run_program({"check", "--data", data, "--label-names", names("http://b/1")});
  EXPECT_EQ(none.code, kFailure);
  EXPECT_NE(none.out.find("problem: 2 labels of training documents that --label-names does not name\n"),
            std::string::npos)
      << none.out;
}

TEST(Check, WrongUsage) {
  expect_failure(run_program({"check"}), kWrongUsage, {"--data"});
  expect_failure(run_program({"check", "--data", "x", "--set", "model.max_word=1"}), kWrongUsage, {"model.max_words"});
  const Workspace space(8);
  const Arguments widths = {"--vectors", space.write("vectors.txt", "the 1 2\n"),
                            "--set",     "model.word_embedding=2",
                            "--set",     "model.label_embedding=100"};
  const std::string message = "model.label_embedding (100) must equal model.word_embedding (2)";
  expect_failure(run_program(Arguments{"check", "--data", space.data()} + widths), kWrongUsage, {message});
  expect_failure(run_program(Arguments{"train", "--data", space.data(), "--model", space.path("model")} + widths),
                 kWrongUsage, {message});
}

}  // namespace
}  // namespace otseq2set::testing
