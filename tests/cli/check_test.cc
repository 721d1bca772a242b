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
