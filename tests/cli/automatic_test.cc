// train and check without a preset: settings that suit the documents.
#include <sstream>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

Json configuration(const std::string& model) { return Json::parse(contents(model + "/config.json")).at("config"); }

// As little as makes a training of a second.
const Arguments kShort = {"--hours", "0.0001", "--set", "model.hidden=8"};

TEST(Automatic, TrainChoosesTellsAndKeepsWhatWasGiven) {
  const Workspace space(64);
  const Arguments train = Arguments{"train", "--data", space.data(), "--model", space.path("model")} + kShort;
  const Outcome outcome = expect_success(train + Arguments{"--epochs", "2"});
  EXPECT_NE(outcome.err.find("--set model.steps="), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("--set model.hidden="), std::string::npos) << outcome.err;
  const Json config = configuration(space.path("model"));
  EXPECT_EQ(config.at("model").at("hidden"), 8);
  EXPECT_EQ(config.at("training").at("epochs"), 2);
  EXPECT_EQ(config.at("linear").at("hybrid"), true);
  EXPECT_EQ(config.at("training").at("refit"), true);
  EXPECT_LE(config.at("model").at("max_words"), 30);
}

TEST(Automatic, ResumeTakesWhatWasChosen) {
  const Workspace space(64);
  const auto train = [&](const char* model, const char* hours, const Arguments& more) {
    return Arguments{"train", "--data",  space.data(), "--model", space.path(model), "--epochs",
                     "2",     "--hours", hours,        "--set",   "model.hidden=8"} +
           more;
  };
  expect_success(train("whole", "0.0001", {}));
  expect_success(train("stopped", "0.0001", {"--max-minutes", "0"}));
  expect_success(train("stopped", "100", {"--resume"}));  // other settings, were they chosen now
  expect_same_weights(space.path("whole"), space.path("stopped"));
  EXPECT_EQ(configuration(space.path("whole")), configuration(space.path("stopped")));
  expect_failure(run_program(train("stopped", "0.0001", {"--resume", "--set", "model.steps=1"})), kFailure,
                 {"model.steps"});
}

TEST(Automatic, StandardInputIsReadOnce) {
  const Workspace space(64);
  const Outcome outcome =
      expect_success(Arguments{"train", "--data", "-", "--format", "jsonl", "--model", space.path("model")} + kShort,
                     contents(space.data()));
  EXPECT_EQ(configuration(space.path("model")).at("training").at("refit"), false) << outcome.err;
}

TEST(Automatic, HoursAreForSettingsThatNobodyChose) {
  const Workspace space(64);
  expect_failure(run_program(space.train_arguments("model", {"--hours", "2"})), kWrongUsage, {"--hours", "--preset"});
  expect_failure(run_program({"train", "--data", space.data(), "--model", "m", "--hours", "0"}), kWrongUsage,
                 {"--hours"});
}

TEST(Automatic, CheckPrintsTheCommandThatTrainsSo) {
  const Workspace space(64);
  const Arguments check = {"check", "--data", space.data(), "--hours", "0.0001", "--set", "model.hidden=8"};
  EXPECT_NE(expect_success(check).out.find("otseq2set train --data " + space.data()), std::string::npos);
  const std::string command = Json::parse(expect_success(check + Arguments{"--json"}).out).at("train_command");
  Arguments words;
  for (std::istringstream stream(command); !stream.eof();) stream >> words.emplace_back();
  words.erase(words.begin());  // the program
  words.back() = space.path("model");
  const Outcome outcome = expect_success(words);
  EXPECT_EQ(outcome.err.find("--set "), std::string::npos) << "all is given already: " << outcome.err;
}

TEST(Automatic, CheckWithAPresetRecommendsNothing) {
  const Workspace space(64);
  const Arguments check = {"check", "--data", space.data(), "--preset", "cpu_small"};
  EXPECT_EQ(expect_success(check).out.find("otseq2set train"), std::string::npos);
  EXPECT_TRUE(Json::parse(expect_success(check + Arguments{"--json"}).out).at("train_command").is_null());
}

}  // namespace
}  // namespace otseq2set::testing
