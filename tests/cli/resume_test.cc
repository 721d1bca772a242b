// Runs that are killed, interrupted or started twice, with the real program.
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

// The file of the folder, or what it is written as before it takes its place ("NAME.tmp").
std::string path_of(const std::string& folder, const std::string& name) {
  if (!name.ends_with(".tmp")) return folder + "/" + name;
  const std::string start = "." + name.substr(0, name.size() - 3);
  for (const std::string& file : files_in(folder)) {
    if (file.starts_with(start) && file.ends_with(".otseq2set.tmp")) return folder + "/" + file;
  }
  return "";
}

// What a file is now; another value after it was replaced.
std::pair<ino_t, int64_t> version_of(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return {0, 0};
  return {status.st_ino, status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec};
}

const Arguments kLonger = {"--set", "training.epochs=3", "--set", "model.encoder_layers=2",
                           "--set", "training.batch=8"};
const Arguments kCheckpointAlways = {"--checkpoint-minutes", "0.00001"};

// Kills the program when the named file of the model folder is written: at the start, inside the writing of a
// checkpoint, between the files that belong to the end of an epoch, at the very end. Each start goes on where
// the kill before left it.
TEST(Resume, KilledAtManyMomentsEndsWithTheSameBytes) {
  const Workspace space(48);
  space.train("whole", kLonger);
  const std::string killed = space.path("killed");
  int kills = 0;
  for (const std::string file : {"config.json", "training_state.safetensors.tmp", "training_state.safetensors",
                                 "last.safetensors.tmp", "last.safetensors", "SHA256SUMS.tmp", "SHA256SUMS",
                                 "weights.safetensors.tmp", "weights.safetensors", "log.jsonl", "metrics.json"}) {
    const auto before = version_of(path_of(killed, file));
    Program program(space.train_arguments("killed", kLonger + kCheckpointAlways + Arguments{"--resume"}));
    kills += program.wait_until([&] {
      const auto now = version_of(path_of(killed, file));
      return now.first != 0 && now != before;
    });
    program.signal(SIGKILL);
    const Outcome outcome = program.wait();
    EXPECT_TRUE(outcome.code == 128 + SIGKILL || outcome.code == 0) << file << ": " << outcome.err;
  }
  EXPECT_GE(kills, 6) << "too few kills hit a running program to mean anything";
  const Outcome last = space.train("killed", kLonger + kCheckpointAlways + Arguments{"--resume"});
  expect_same_weights(space.path("whole"), killed);
  EXPECT_EQ(loss_texts(space.path("whole")), loss_texts(killed)) << last.err;
  EXPECT_EQ(files_in(killed), files_in(space.path("whole")));
  expect_success({"check", "--model", killed});
  EXPECT_EQ(run_in_shell("cd " + killed + " && sha256sum --strict --quiet --check SHA256SUMS").code, 0);
}

// Killed while training, at times that no file decides.
TEST(Resume, KilledAtAnyTimeEndsWithTheSameBytes) {
  const Workspace space(48);
  space.train("whole", kLonger);
  const std::string state = space.path("killed") + "/training_state.safetensors";
  for (int delay : {3, 17, 41}) {
    Program program(space.train_arguments("killed", kLonger + Arguments{"--checkpoint-minutes", "0.0005", "--resume"}));
    const auto before = version_of(state);
    program.wait_until([&] { return version_of(state) != before; });
    usleep(delay * 1000);
    program.signal(SIGKILL);
    program.wait();
  }
  space.train("killed", kLonger + Arguments{"--resume", "--threads", "1"});
  expect_same_weights(space.path("whole"), space.path("killed"));
  EXPECT_EQ(loss_texts(space.path("whole")), loss_texts(space.path("killed")));
}

// Ctrl-C, then what the error line says, then SIGTERM, then again what it says. The folder's name needs
// quoting and --resume does not stand last, so the command must be the whole of what was typed.
TEST(Interrupt, SavesACheckpointAndSaysHowToResume) {
  const Workspace space(64);
  space.train("whole", kLonger);
  const std::string name = "it's $HOME & mine";
  const std::string model = space.path(name);
  auto interrupt = [&](const Arguments& arguments, int signal) {
    Program program(arguments);
    const auto before = version_of(model + "/training_state.safetensors");
    // The state is written after the first batch, and again when the signal has come.
    EXPECT_TRUE(program.wait_until([&] { return version_of(model + "/training_state.safetensors") != before; }));
    program.signal(signal);
    return program.wait();
  };
  const Arguments often = kLonger + kCheckpointAlways;
  const Arguments arguments =
      Arguments{"train", "--resume", "--data", space.data(), "--model", model} + small_model() + often;
  const Outcome first = interrupt(arguments, SIGINT);
  expect_failure(first, kInterrupted, {"interrupted", "checkpoint", "--resume"});
  EXPECT_TRUE(fs::exists(model + "/training_state.safetensors"));
  EXPECT_FALSE(fs::exists(model + "/metrics.json"));
  expect_no_temporary_files(model);

  const Outcome second = interrupt(arguments, SIGTERM);
  expect_failure(second, kInterrupted, {"interrupted"});
  const std::string line = second.last_error_line(), marker = "to continue, run: ";
  ASSERT_NE(line.find(marker), std::string::npos) << line;
  const Outcome rest = run_in_shell(line.substr(line.find(marker) + marker.size()));
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_NE(rest.err.find("continuing"), std::string::npos) << rest.err;
  expect_same_weights(space.path("whole"), model);
  EXPECT_EQ(loss_texts(space.path("whole")), loss_texts(model));
}

TEST(MaxMinutes, SavesACheckpointAndSaysHowToContinue) {
  const Workspace space(64);
  space.train("whole");
  const Outcome stopped = space.train("parts", {"--max-minutes", "0"});
  const std::string line = lines_of(stopped.err).back();
  EXPECT_EQ(line.find("stopped after 0 minutes (--max-minutes); the checkpoint is saved; to continue, run: "), 0u)
      << line;
  EXPECT_EQ(line.substr(line.size() - 9), " --resume") << line;
  EXPECT_TRUE(fs::exists(space.path("parts") + "/training_state.safetensors"));
  EXPECT_FALSE(fs::exists(space.path("parts") + "/metrics.json"));
  space.train("parts", {"--resume", "--max-minutes", "1000"});
  expect_same_weights(space.path("whole"), space.path("parts"));
}

TEST(MaxMinutes, InTheLinearModelThereIsNoCheckpoint) {
  const Workspace space(64);
  const Outcome stopped = space.train("model", {"--variant", "linear", "--max-minutes", "0"});
  EXPECT_NE(stopped.err.find("the linear model, which takes minutes, has to begin again; to continue, run: "),
            std::string::npos)
      << stopped.err;
  space.train("model", {"--variant", "linear", "--resume"});
}

TEST(Interrupt, TheCommandToResumeHasTheFlagOnce) {
  const Workspace space(64);
  Program program(space.train_arguments("model", {"--set", "training.epochs=500"}));
  ASSERT_TRUE(program.wait_until([&] { return fs::exists(space.path("model") + "/labels.jsonl"); }));
  program.signal(SIGINT);
  const std::string line = program.wait().last_error_line();
  EXPECT_NE(line.find("otseq2set train --data " + space.data()), std::string::npos) << line;
  EXPECT_EQ(line.substr(line.size() - 9), " --resume") << line;
  EXPECT_EQ(line.find("--resume"), line.size() - 8) << line;
}

TEST(Resume, FinishedRunSaysSo) {
  const Workspace space(24);
  space.train("model");
  const auto weights = version_of(space.path("model") + "/weights.safetensors");
  const Outcome again = space.train("model", {"--resume"});
  EXPECT_NE(again.err.find("already finished"), std::string::npos) << again.err;
  EXPECT_EQ(version_of(space.path("model") + "/weights.safetensors"), weights);
}

TEST(Resume, WithNothingToResumeStarts) {
  const Workspace space(24);
  space.train("plain");
  space.train("resumed", {"--resume"});
  expect_same_weights(space.path("plain"), space.path("resumed"));
  fs::create_directories(space.path("empty folder"));
  space.train("empty folder", {"--resume"});
  expect_same_weights(space.path("plain"), space.path("empty folder"));
}

// A finished run and one with a checkpoint refuse alike;
// every change is named with the old and the new value.
TEST(Resume, RefusesAnotherConfigurationOrOtherData) {
  const Workspace space(24);
  space.train("model");
  const std::string weights = contents(space.path("model") + "/weights.safetensors");
  auto resume = [&](const Arguments& more) {
    return run_program(space.train_arguments("model", Arguments{"--resume"} + more));
  };
  expect_failure(resume({"--set", "model.hidden=13", "--set", "loss.lambda=4"}), kFailure,
                 {"cannot resume", "model.hidden was 12, is now 13", "loss.lambda was 8.0, is now 4"});
  expect_failure(resume({"--variant", "bm"}), kFailure, {"variant was \"otseq2set\", is now \"bm\""});
  expect_failure(resume({"--seed", "2"}), kFailure, {"training.seed was 1, is now 2"});

  const std::string corpus = contents(space.data());
  const std::string added = R"({"id":"new","text":"topic1x0","labels":["label_1"]})";
  space.write("data.jsonl", corpus + added + "\n" + added + "\n");
  expect_failure(resume({}), kFailure,
                 {"cannot resume", "training data had 22 documents and now has 23", "validation data had 2"});
  std::string changed = corpus;
  changed.replace(changed.find("topic"), 7, "topic9z");
  space.write("data.jsonl", changed);
  expect_failure(resume({}), kFailure, {"cannot resume", "data"});
  EXPECT_EQ(contents(space.path("model") + "/weights.safetensors"), weights);
  space.write("data.jsonl", corpus);
  EXPECT_EQ(resume({}).code, 0);
}

TEST(Resume, RefusesAnotherConfigurationInTheMiddleOfARun) {
  const Workspace space(24);
  Program program(
      space.train_arguments("model", kLonger + kCheckpointAlways + Arguments{"--set", "training.epochs=99"}));
  ASSERT_TRUE(program.wait_until([&] { return fs::exists(space.path("model") + "/training_state.safetensors"); }));
  program.signal(SIGKILL);
  program.wait();
  const Arguments shorter = kLonger + Arguments{"--resume", "--set", "training.epochs=98"};
  expect_failure(run_program(space.train_arguments("model", shorter)), kFailure,
                 {"cannot resume", "training.epochs was 99, is now 98"});
}

TEST(Overwrite, AFolderWithAModelIsKeptUnlessAsked) {
  const Workspace space(24);
  space.train("model", {"--seed", "5"});
  const std::string weights = contents(space.path("model") + "/weights.safetensors");
  const auto files = files_in(space.path("model"));
  expect_failure(run_program(space.train_arguments("model")), kFailure,
                 {space.path("model"), "already contains a model", "--resume", "--overwrite"});
  EXPECT_EQ(contents(space.path("model") + "/weights.safetensors"), weights);
  EXPECT_EQ(files_in(space.path("model")), files);

  space.train("model", {"--overwrite"});
  space.train("fresh");
  expect_same_weights(space.path("fresh"), space.path("model"));
  EXPECT_NE(contents(space.path("model") + "/weights.safetensors"), weights);
}

// What is wrong with the new run is found before the old model is touched.
TEST(Overwrite, AFailingRunLeavesTheOldModel) {
  const Workspace space(24);
  space.train("model");
  const std::string weights = contents(space.path("model") + "/weights.safetensors");
  const std::string vectors = space.write("vectors.txt", "topic1x0 1 2 3\n");
  expect_failure(run_program(space.train_arguments("model", {"--overwrite", "--vectors", vectors})), kFailure,
                 {vectors + ":1"});
  EXPECT_EQ(contents(space.path("model") + "/weights.safetensors"), weights);
  expect_success({"predict", "--model", space.path("model"), "--data", space.data()});
}

TEST(Lock, TwoProgramsDoNotTrainIntoOneFolder) {
  const Workspace space(64);
  Program first(space.train_arguments("model", {"--set", "training.epochs=1000"}));
  ASSERT_TRUE(first.wait_until([&] { return fs::exists(space.path("model") + "/labels.jsonl"); }));
  for (const std::string flag : {"--resume", "--overwrite"}) {
    expect_failure(run_program(space.train_arguments("model", {"--set", "training.epochs=1000", flag})), kFailure,
                   {space.path("model"), "in use by another otseq2set"});
  }
  EXPECT_TRUE(first.running());
  first.signal(SIGKILL);
  first.wait();
  // The lock goes with the process that held it.
  space.train("model", {"--overwrite"});
}

}  // namespace
}  // namespace otseq2set::testing
