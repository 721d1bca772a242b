// otseq2set train --stop-after, --linear-from, --metric: what a search asks of a training.
#include <filesystem>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

TEST(StopAfter, StoppedAndResumedItEndsWithTheSameBytes) {
  const Workspace space(80);
  const Arguments more = {"--hybrid", "--set", "training.epochs=4"};
  space.train("whole", more);
  for (const char* epochs : {"1", "3"}) {
    space.train("parts", more + Arguments{"--resume", "--stop-after", epochs});
    EXPECT_EQ(json_lines(contents(space.path("parts") + "/log.jsonl")).size(), std::stoul(epochs));
    EXPECT_TRUE(fs::exists(space.path("parts") + "/training_state.safetensors"));
    expect_success({"predict", "--model", space.path("parts"), "--data", space.data()});
  }
  space.train("parts", more + Arguments{"--resume"});
  EXPECT_FALSE(fs::exists(space.path("parts") + "/training_state.safetensors"));
  expect_same_weights(space.path("whole"), space.path("parts"));
  EXPECT_EQ(loss_texts(space.path("whole")), loss_texts(space.path("parts")));
  for (const char* file : {"/set_rule.json", "/joining.json"}) {
    EXPECT_EQ(contents(space.path("whole") + file), contents(space.path("parts") + file)) << file;
  }
}

// The schedule is that of all epochs.
TEST(StopAfter, IsNotAShorterTraining) {
  const Workspace space(64);
  space.train("stopped", {"--set", "training.epochs=4", "--stop-after", "2"});
  space.train("short", {"--set", "training.epochs=2"});
  EXPECT_NE(loss_texts(space.path("stopped")), loss_texts(space.path("short")));
  space.train("more", {"--set", "training.epochs=2", "--stop-after", "9"});
  EXPECT_EQ(loss_texts(space.path("more")), loss_texts(space.path("short")));
  EXPECT_FALSE(fs::exists(space.path("more") + "/training_state.safetensors"));
}

TEST(StopAfter, ARefitTakesTheEpochsThatItStoppedAfter) {
  const Workspace space(64);
  space.train("model", {"--set", "training.epochs=4", "--stop-after", "1", "--refit"});
  EXPECT_EQ(json_lines(contents(space.path("model") + "/log.jsonl")).size(), 1u);
  EXPECT_FALSE(fs::exists(space.path("model") + "/selection"));
  EXPECT_FALSE(fs::exists(space.path("model") + "/training_state.safetensors"));
}

TEST(LinearFrom, TakesOverAModelOfTheSameDocuments) {
  const Workspace space(80);
  space.train("linear", {"--variant", "linear"});
  space.train("own", {"--hybrid"});
  const Outcome outcome = space.train("taken", {"--hybrid", "--linear-from", space.path("linear")});
  EXPECT_NE(outcome.err.find("linear model: copied from"), std::string::npos) << outcome.err;
  for (const char* file : {"/linear.safetensors", "/weights.safetensors", "/joining.json", "/set_rule.json"}) {
    EXPECT_EQ(contents(space.path("own") + file), contents(space.path("taken") + file)) << file;
  }
  expect_failure(run_program(space.train_arguments(
                     "other", {"--hybrid", "--set", "linear.c=2", "--linear-from", space.path("linear")})),
                 kFailure, {space.path("linear"), "other documents or with other settings"});
  expect_failure(
      run_program(space.train_arguments("seed", {"--hybrid", "--seed", "2", "--linear-from", space.path("linear")})),
      kFailure, {"other documents or with other settings"});
  space.train("network");
  expect_failure(run_program(space.train_arguments("none", {"--hybrid", "--linear-from", space.path("network")})),
                 kFailure, {"no linear model"});
}

TEST(Metric, TheSetRuleIsTheBestInIt) {
  const Workspace space(64);
  for (const char* metric : {"micro-F1", "macro-F1", "example-F1"}) {
    space.train(metric, {"--metric", metric});
    EXPECT_EQ(Json::parse(contents(space.path(metric) + "/set_rule.json")).at("measure"), metric);
  }
}

}  // namespace
}  // namespace otseq2set::testing
