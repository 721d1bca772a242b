// Models of several parts: linear models, hybrids of linear model and network, ensembles, and training again on all.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

const Arguments kLinear = {"--variant", "linear"};

std::vector<std::string> all_files(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename() != ".lock") {
      names.push_back(fs::relative(entry.path(), folder).string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// All files but those that tell of time, and the list of sums, which has theirs.
void expect_same_model(const std::string& model, const std::string& other) {
  ASSERT_EQ(all_files(model), all_files(other));
  for (const std::string& name : all_files(model)) {
    const std::string file = fs::path(name).filename();
    if (file == "log.jsonl" || file == "metrics.json" || file == "linear.json" || file == "SHA256SUMS") continue;
    EXPECT_EQ(contents(model + "/" + name), contents(other + "/" + name)) << name;
  }
}

double micro_f1(const Workspace& space, const std::string& model, const Arguments& more = {}) {
  const std::string file = space.path("metrics.json");
  expect_success(Arguments{"eval", "--model", space.path(model), "--data", space.data(), "--metrics-file", file} +
                 more);
  return Json::parse(contents(file)).at("micro-F1");
}

TEST(LinearVariant, LearnsAndAnswersAsEveryOther) {
  const Workspace space(120);
  space.train("model", kLinear);
  EXPECT_EQ(files_in(space.path("model")),
            (std::vector<std::string>{"SHA256SUMS", "config.json", "joining.json", "labels.jsonl", "linear.json",
                                      "linear.safetensors", "metrics.json", "set_rule.json", "words.txt"}));
  EXPECT_GT(micro_f1(space, "model"), 0.9);
  EXPECT_GT(micro_f1(space, "model", {"--rule", "greedy"}), 0.8);
  const Arguments data = {"--model", space.path("model"), "--data", space.data()};
  expect_success(Arguments{"tune"} + data);
  EXPECT_EQ(json_lines(expect_success(Arguments{"predict"} + data).out).size(), 120u);
  EXPECT_NE(expect_success({"info", "--model", space.path("model")}).out.find("linear"), std::string::npos);
  for (const Json& line : json_lines(expect_success(Arguments{"explain"} + data).out)) {
    for (const Json& label : line.at("labels")) {
      EXPECT_FALSE(label.at("words").empty()) << line;
      EXPECT_FALSE(label.at("ngrams").empty()) << line;
      double sum = 0;
      for (const Json& word : label.at("words")) sum += word.at("weight").get<double>();
      EXPECT_LE(sum, 1.0001) << line;
    }
  }
}

TEST(LinearVariant, SameBytesOnAnyNumberOfThreads) {
  const Workspace space(120);
  space.train("one", kLinear + Arguments{"--threads", "1"});
  space.train("three", kLinear + Arguments{"--threads", "3"});
  expect_same_model(space.path("one"), space.path("three"));
}

TEST(LinearVariant, NearestDocumentsAndNamesAnswerToo) {
  const Workspace space(120);
  const Arguments more =
      kLinear + Arguments{"--set", "linear.neighbours=true", "--set", "linear.names=true", "--threads"};
  space.train("one", more + Arguments{"1"});
  space.train("three", more + Arguments{"3"});
  expect_same_model(space.path("one"), space.path("three"));
  EXPECT_GT(micro_f1(space, "one"), 0.9);
  const Json weights = Json::parse(contents(space.path("one") + "/joining.json"));
  EXPECT_NE(weights.at("log_vote"), 0);
  space.train("plain", kLinear);
  EXPECT_EQ(Json::parse(contents(space.path("plain") + "/joining.json")).at("log_vote"), 0);

  const auto explained = [&](const std::string& model, const Arguments& format) {
    return expect_success(Arguments{"explain", "--model", space.path(model), "--data", space.data()} + format).out;
  };
  double votes = 0;
  for (const Json& line : json_lines(explained("one", {}))) {
    for (const Json& label : line.at("labels")) {
      votes += label.at("neighbours").get<double>();
      EXPECT_TRUE(label.contains("name_in_text"));
    }
  }
  EXPECT_GT(votes, 10);  // the texts themselves are among the nearest
  EXPECT_NE(explained("one", {"--output-format", "html"}).find("similar documents"), std::string::npos);
  EXPECT_EQ(explained("plain", {}).find("neighbours"), std::string::npos);
}

TEST(LinearVariant, AFinishedModelIsLeftAlone) {
  const Workspace space(60);
  space.train("model", kLinear);
  const Outcome again = space.train("model", kLinear + Arguments{"--resume"});
  EXPECT_NE(again.err.find("already finished"), std::string::npos) << again.err;
  expect_failure(run_program(space.train_arguments("model", kLinear)), kFailure, {"already contains a model"});
  expect_failure(run_program(space.train_arguments("model", kLinear + Arguments{"--resume", "--set", "linear.c=2"})),
                 kFailure, {"cannot resume", "linear.c"});
}

TEST(Hybrid, ItsNetworkIsTheOneWithoutALinearModel) {
  const Workspace space(64);
  space.train("plain");
  space.train("hybrid", {"--hybrid"});
  expect_same_weights(space.path("plain"), space.path("hybrid"));
  EXPECT_EQ(micro_f1(space, "plain", {"--rule", "greedy"}), micro_f1(space, "hybrid", {"--rule", "greedy"}));
}

TEST(Hybrid, ScoresAreJoinedAndExplainedByBoth) {
  const Workspace space(120);
  const Outcome outcome = space.train("hybrid", {"--hybrid"});
  EXPECT_NE(outcome.err.find("the scores of network and linear model are combined"), std::string::npos) << outcome.err;
  EXPECT_GT(micro_f1(space, "hybrid"), 0.9);
  const Outcome explained =
      expect_success({"explain", "--model", space.path("hybrid"), "--data", space.data(), "--leave-out"});
  for (const Json& line : json_lines(explained.out)) {
    for (const Json& label : line.at("labels")) EXPECT_FALSE(label.at("ngrams").empty()) << line;
  }
}

TEST(Hybrid, WithoutValidationDocumentsTuningJoinsTheModels) {
  const Workspace space(120);
  space.train("hybrid", {"--hybrid", "--set", "training.valid_fraction=0"});
  EXPECT_FALSE(fs::exists(space.path("hybrid") + "/joining.json"));
  expect_success({"tune", "--model", space.path("hybrid"), "--data", space.data()});
  EXPECT_TRUE(fs::exists(space.path("hybrid") + "/joining.json"));
  EXPECT_GT(micro_f1(space, "hybrid"), 0.9);
}

TEST(Hybrid, AWordCountThatNoWordReachesIsRefused) {
  const Workspace space(20);
  expect_failure(run_program(space.train_arguments("model", {"--hybrid", "--set", "text.min_count=100000"})),
                 kWrongUsage, {"text.min_count"});
}

TEST(Hybrid, AFolderThatDeniesItsLinearModelIsRefused) {
  const Workspace space(40);
  space.train("hybrid", {"--hybrid", "--set", "text.vocabulary=1"});
  const std::string file = space.path("hybrid") + "/config.json";
  Json config = Json::parse(contents(file));
  config["config"]["linear"]["hybrid"] = false;
  std::ofstream(file) << config;
  fs::remove(space.path("hybrid") + "/SHA256SUMS");  // which would notice already
  expect_failure(run_program({"predict", "--model", space.path("hybrid"), "--data", space.data()}), kFailure,
                 {"config.json", "model.words"});
}

// The linear model reads behind the network's cut, and knows words that the network does not.
TEST(Hybrid, TheLinearModelReadsAllWords) {
  const Workspace space(120);
  std::string late;
  for (Json document : json_lines(contents(space.data()))) {
    document["text"] = "the the the the the the the the " + document.at("text").get<std::string>();
    late += document.dump() + "\n";
  }
  space.write("data.jsonl", late);
  space.train("hybrid", {"--hybrid", "--set", "model.max_words=8", "--set", "text.vocabulary=1"});
  EXPECT_GT(micro_f1(space, "hybrid"), 0.9);
}

TEST(Ensemble, MembersAreTheModelsOfTheirSeeds) {
  const Workspace space(64);
  const Arguments valid = {"--valid", space.write("valid.jsonl", small_corpus(20, 5))};
  space.train("both", valid + Arguments{"--seeds", "1,2"});
  space.train("one", valid + Arguments{"--seed", "1"});
  space.train("two", valid + Arguments{"--seed", "2"});
  expect_same_weights(space.path("one"), space.path("both"));
  expect_same_weights(space.path("two"), space.path("both") + "/members/2");
}

TEST(Ensemble, ScoresAreTheMeanOfTheMembers) {
  const Workspace space(64);
  const Arguments valid = {"--valid", space.write("valid.jsonl", small_corpus(20, 5))};
  const auto scores = [&](const std::string& model, const Arguments& seeds) {
    space.train(model, valid + seeds);
    std::map<std::string, double> found;
    const Outcome out =
        expect_success({"predict", "--model", space.path(model), "--data", space.data(), "--top-k", "9"});
    for (const Json& line : json_lines(out.out)) {
      for (const Json& label : line.at("labels")) {
        found[line.at("id").dump() + label.at("label").dump()] = label.at("score");
      }
    }
    return found;
  };
  const auto one = scores("one", {"--seed", "1"}), two = scores("two", {"--seed", "2"});
  for (const auto& [label, score] : scores("both", {"--seeds", "1,2"})) {
    if (one.count(label) == 0 || two.count(label) == 0) continue;
    EXPECT_NEAR(score, (one.at(label) + two.at(label)) / 2, 1e-6) << label;
  }
}

TEST(Ensemble, ALinearModelHasNoMembers) {
  const Workspace space(20);
  expect_failure(run_program(space.train_arguments("model", kLinear + Arguments{"--seeds", "1,2"})), kWrongUsage,
                 {"more_seeds", "linear"});
}

TEST(Ensemble, ASeedTwiceIsRefused) {
  const Workspace space(20);
  expect_failure(run_program(space.train_arguments("model", {"--seeds", "1,2,1"})), kWrongUsage, {"more_seeds", "1"});
}

const Arguments kAllParts = {"--hybrid", "--refit", "--seeds", "1,2"};

TEST(Refit, TrainsOnAllDocumentsAndKeepsTheChoices) {
  const Workspace space(60);
  space.train("chosen", {"--hybrid", "--seeds", "1,2"});
  space.train("refitted", kAllParts);
  const Json before = Json::parse(contents(space.path("chosen") + "/config.json"));
  const Json after = Json::parse(contents(space.path("refitted") + "/config.json"));
  EXPECT_EQ(before.at("data").at("documents"), 54);
  EXPECT_EQ(after.at("data").at("documents"), 60);
  for (const char* file : {"/joining.json", "/set_rule.json"}) {
    EXPECT_EQ(contents(space.path("chosen") + file), contents(space.path("refitted") + file));
  }
  EXPECT_FALSE(fs::exists(space.path("refitted") + "/selection"));
  for (const std::string member : {"", "/members/2"}) {
    const Json chosen = Json::parse(contents(space.path("chosen") + member + "/metrics.json"));
    const Json metrics = Json::parse(contents(space.path("refitted") + member + "/metrics.json"));
    EXPECT_EQ(metrics.at("epochs"), chosen.at("best_epoch"));
  }
}

TEST(Refit, ValidationDocumentsAreTrainedOnToo) {
  const Workspace space(40);
  space.train("model", {"--refit", "--valid", space.write("valid.jsonl", small_corpus(20, 5))});
  EXPECT_EQ(Json::parse(contents(space.path("model") + "/config.json")).at("data").at("documents"), 60);
}

TEST(Refit, IsNotMixedWithARunWithoutIt) {
  const Workspace space(40);
  space.train("plain");
  expect_failure(run_program(space.train_arguments("plain", {"--refit", "--resume"})), kFailure,
                 {"cannot resume", "training.refit"});
  Program program(space.train_arguments("begun", {"--refit"}));
  ASSERT_TRUE(program.wait_until([&] { return fs::exists(space.path("begun") + "/selection/labels.jsonl"); }));
  program.signal(SIGKILL);
  program.wait();
  if (!fs::exists(space.path("begun") + "/selection/config.json")) return;  // it was too quick
  expect_failure(run_program(space.train_arguments("begun", {"--resume"})), kFailure,
                 {"cannot resume", "training.refit"});
  expect_failure(run_program(space.train_arguments("begun")), kFailure, {"already contains a model"});
}

TEST(Refit, AFaultInTheDataLeavesTheOldModelAlone) {
  const Workspace space(40);
  space.train("model");
  const std::vector<std::string> before = all_files(space.path("model"));
  space.write("data.jsonl", "no document\n");
  EXPECT_EQ(run_program(space.train_arguments("model", {"--refit", "--overwrite"})).code, kFailure);
  EXPECT_EQ(all_files(space.path("model")), before);
}

TEST(Refit, StandardInputIsRefused) {
  const Workspace space(0);
  const Outcome outcome = run_program({"train", "--data", "-", "--model", space.path("model"), "--refit"}, "x");
  expect_failure(outcome, kWrongUsage, {"training.refit", "standard input"});
}

TEST(Refit, WithoutDocumentsToChooseOnItIsRefused) {
  const Workspace space(20);
  expect_failure(run_program(space.train_arguments("model", {"--refit", "--set", "training.valid_fraction=0"})),
                 kWrongUsage, {"training.refit", "--valid"});
}

// Killed when the file comes to be, anywhere in the folder, and gone on with.
TEST(Refit, KilledAtManyMomentsEndsWithTheSameBytes) {
  const Workspace space(48);
  space.train("whole", kAllParts);
  const std::string killed = space.path("killed");
  const Arguments resumed = kAllParts + Arguments{"--resume", "--checkpoint-minutes", "0.00001"};
  int kills = 0;
  for (const std::string file :
       {"selection/config.json", "selection/linear.safetensors", "selection/training_state.safetensors",
        "selection/metrics.json", "selection/members/2/training_state.safetensors", "selection/members/2/metrics.json",
        "selection/joining.json", "selection/set_rule.json", "config.json", "linear.safetensors",
        "training_state.safetensors", "metrics.json", "members/2/training_state.safetensors", "members/2/metrics.json",
        "joining.json", "set_rule.json"}) {
    Program program(space.train_arguments("killed", resumed));
    kills += program.wait_until([&] { return fs::exists(killed + "/" + file); });
    program.signal(SIGKILL);
    program.wait();
  }
  EXPECT_GE(kills, 10) << "too few kills hit a running program to mean anything";
  space.train("killed", resumed);
  expect_same_model(space.path("whole"), killed);
}

TEST(Refit, OverwritingStartsAnew) {
  const Workspace space(40);
  space.train("fresh", kAllParts);
  space.train("model", {"--seed", "5"});
  space.train("model", kAllParts + Arguments{"--overwrite"});
  expect_same_model(space.path("fresh"), space.path("model"));
}

}  // namespace
}  // namespace otseq2set::testing
