// A model folder vouches for itself: whatever changed in it is an error, never another answer.
#include <filesystem>
#include <fstream>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

// What only people and a resumed training read.
const std::vector<std::string> kNotForAnswers = {
    "last.safetensors",    "linear.json",           "log.jsonl", "metrics.json", "members/2/last.safetensors",
    "members/2/log.jsonl", "members/2/metrics.json"};

class DamagedFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    space_.train("model", {"--hybrid", "--set", "training.epochs=1", "--set", "training.more_seeds=2"});
    answers_ = expect_success(predict_).out;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(model_)) {
      const std::string name = entry.path().lexically_relative(model_).string();
      if (entry.is_regular_file() && name != ".lock" && name != "SHA256SUMS") names.push_back(name);
    }
    return names;
  }
  bool counts(const std::string& name) const {
    return std::find(kNotForAnswers.begin(), kNotForAnswers.end(), name) == kNotForAnswers.end();
  }
  // After the change of a file: it is told of, or it does not matter.
  void expect_told(const std::string& name, const std::string& fault) const {
    SCOPED_TRACE(name + ": " + fault);
    if (counts(name)) {
      expect_failure(run_program(predict_), kFailure, {model_ + "/" + name});
    } else {
      EXPECT_EQ(expect_success(predict_).out, answers_);
    }
    const Outcome check = run_program({"check", "--model", model_});
    expect_failure(check, kFailure, {model_ + ": damaged; the report says what is wrong"});
    EXPECT_EQ(check.out.find(name + ": " + fault), 0u) << check.out;
  }

  const Workspace space_{32};
  const std::string model_ = space_.path("model");
  const Arguments predict_ = {"predict", "--model", model_, "--data", space_.data()};
  std::string answers_;
};

TEST_F(DamagedFolder, OneBitOfAnyFileIsNoticed) {
  const std::vector<std::string> names = files();
  EXPECT_EQ(names.size(), 15u);
  for (const std::string& name : names) {
    const std::string good = contents(model_ + "/" + name);
    std::string bad = good;
    bad[bad.size() / 2] ^= 1;
    space_.write("model/" + name, bad);
    expect_told(name, "damaged: its SHA-256 is ");
    space_.write("model/" + name, good);
  }
  EXPECT_EQ(expect_success(predict_).out, answers_);
  EXPECT_NE(expect_success({"check", "--model", model_}).out.find("all 15 files are as they were written"),
            std::string::npos);
}

TEST_F(DamagedFolder, AMissingFileIsNoticed) {
  for (const std::string& name : files()) {
    fs::rename(model_ + "/" + name, space_.path("away"));
    expect_told(name, "missing");
    fs::rename(space_.path("away"), model_ + "/" + name);
  }
}

// bm_lc has the same parameters, and so its weights would fit.
TEST_F(DamagedFolder, AnotherVariantIsNoticed) {
  std::string config = contents(model_ + "/config.json");
  const std::string before = "\"variant\": \"otseq2set\"";
  ASSERT_NE(config.find(before), std::string::npos);
  config.replace(config.find(before), before.size(), "\"variant\": \"bm_lc\"");
  space_.write("model/config.json", config);
  for (const Arguments& command :
       {predict_, Arguments{"eval", "--model", model_, "--data", space_.data()}, Arguments{"info", "--model", model_},
        Arguments{"tune", "--model", model_, "--data", space_.data()},
        Arguments{"serve", "--model", model_, "--port", "0"}}) {
    expect_failure(run_program(command), kFailure, {model_ + "/config.json: damaged"});
  }
}

TEST_F(DamagedFolder, OneOfAnOlderProgramIsReadWithANote) {
  fs::remove(model_ + "/SHA256SUMS");
  const std::string note = "note: " + model_ + " has no SHA256SUMS; damaged files may not be noticed";
  const Outcome outcome = expect_success(predict_);
  EXPECT_EQ(outcome.out, answers_);
  EXPECT_NE(outcome.err.find(note), std::string::npos) << outcome.err;
  const Outcome check = expect_success({"check", "--model", model_});
  EXPECT_NE(check.out.find("can be loaded"), std::string::npos) << check.out;
  EXPECT_NE(check.err.find(note), std::string::npos) << check.err;
  fs::resize_file(model_ + "/weights.safetensors", 1000);
  const Outcome damaged = run_program({"check", "--model", model_});
  expect_failure(damaged, kFailure, {model_ + ": damaged; the report says what is wrong"});
  EXPECT_NE(damaged.out.find("weights.safetensors: truncated"), std::string::npos) << damaged.out;
}

TEST_F(DamagedFolder, TuningKeepsTheListRight) {
  expect_success({"tune", "--model", model_, "--data", space_.data(), "--metric", "example-F1"});
  expect_success({"check", "--model", model_});
  EXPECT_EQ(run_in_shell("cd " + model_ + " && sha256sum --strict --check SHA256SUMS").code, 0);
}

// A program that has a model goes on when its files are cut or overwritten in place: they are not mapped.
TEST_F(DamagedFolder, FilesThatAreCutShortUnderARunningProgramDoNotMatter) {
  // Who writes into the pipe waits until the program opens it, which has the model then.
  const std::string script = "cd " + space_.path("") +
                             " && mkfifo in && { \"$@\" >out & } && exec 3>in && "
                             "for file in model/*.safetensors; do : >$file; done && "
                             "cat data.jsonl >&3 && exec 3>&- && wait $! && cat out";
  const Outcome outcome = run_in_shell(script, {"predict", "--model", model_, "--data", space_.path("in")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, answers_);
}

// Each byte of a checkpoint becomes part of the model that training makes from it.
TEST(DamagedCheckpoint, IsNotResumed) {
  const Workspace space(32);
  const Arguments more = {"--hybrid", "--set", "training.more_seeds=2"};
  space.train("model", more + Arguments{"--stop-after", "1"});
  const std::string model = space.path("model");
  const Arguments resume = space.train_arguments("model", more + Arguments{"--resume"});
  for (const std::string name : {"training_state.safetensors", "linear.safetensors", "words.txt", "config.json"}) {
    const std::string good = contents(model + "/" + name);
    std::string bad = good;
    bad[good.size() / 2] ^= 16;
    space.write("model/" + name, bad);
    expect_failure(run_program(resume), kFailure, {model + "/" + name + ": damaged", "--overwrite"});
    space.write("model/" + name, good);
  }
  expect_success(resume);
  space.train("whole", more);
  expect_same_weights(space.path("whole"), model);
}

}  // namespace
}  // namespace otseq2set::testing
