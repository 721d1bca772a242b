// otseq2set search: whole searches on a small corpus, killed and shared.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <thread>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

class SearchTest : public ::testing::Test {
 protected:
  std::string found(const std::string& file = "") const {
    return workspace_.path("found" + (file.empty() ? "" : "/" + file));
  }

  // A model that trains in a moment, so few candidates that all are tried however slow the machine is.
  Arguments command(const Arguments& more = {}, const std::string& model = "found") const {
    return Arguments{"search",    "--data", workspace_.data(), "--model", workspace_.path(model), "--minutes", "10",
                     "--threads", "1",      "--candidates",    "3"} +
           small_model() + more;
  }

  std::vector<Json> table() const { return json_lines(contents(found("search.jsonl"))); }

  // Every result that there is, by its file.
  std::map<std::string, std::string> results() const {
    std::map<std::string, std::string> files;
    if (!fs::exists(found("search"))) return files;
    for (const auto& entry : fs::recursive_directory_iterator(found("search"))) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("rung-", 0) == 0 && name.find(".tmp") == std::string::npos) {
        files[entry.path().string()] = contents(entry.path().string());
      }
    }
    return files;
  }

  // What a program measured: "network-2 after 1 of 2 epochs".
  static std::vector<std::string> measured(const Outcome& outcome) {
    std::vector<std::string> names;
    for (const std::string& line : lines_of(outcome.err)) {
      std::smatch match;
      if (std::regex_match(line, match, std::regex(R"(== (\S+): \S+ 0?1?\.\d+(.*), \S+)"))) {
        names.push_back(match[1].str() + match[2].str());
      }
    }
    return names;
  }

  Workspace workspace_{80};
};

TEST_F(SearchTest, EndsWithTheBestModelTrainedOnAllDocuments) {
  expect_success(command({"--hybrid"}));
  expect_success({"predict", "--model", found(), "--data", workspace_.data()});
  const Json model = Json::parse(contents(found("config.json")));
  EXPECT_EQ(model.at("data").at("documents"), 80);
  EXPECT_EQ(model.at("config").at("training").at("refit"), true);
  EXPECT_EQ(model.at("config").at("linear").at("hybrid"), true);

  std::optional<double> given, best;
  std::vector<int> rungs_of_given;
  for (const Json& row : table()) {
    if (row.at("value").is_null() || row.at("trial").get<std::string>().rfind("network-", 0) != 0) continue;
    best = std::max(best.value_or(0), row.at("value").get<double>());
    if (row.at("trial") != "network-0") continue;
    EXPECT_TRUE(row.at("settings").empty());
    rungs_of_given.push_back(row.at("rung"));
    given = row.at("value").get<double>();
  }
  EXPECT_EQ(rungs_of_given, (std::vector<int>{0, 1})) << "the configuration as given is trained to its end";
  const Json winner = Json::parse(contents(found("search/refit/result.json")));
  EXPECT_GE(winner.at("value").get<double>(), given.value());
  EXPECT_EQ(Json::parse(contents(found("set_rule.json"))).at("value"), winner.at("value"));
  EXPECT_TRUE(fs::exists(found("search.html")));
  EXPECT_FALSE(fs::exists(found("selection")));
  for (const auto& entry : fs::recursive_directory_iterator(found("search"))) {
    EXPECT_NE(entry.path().extension(), ".safetensors") << "candidates take no room any more";
  }
  expect_no_temporary_files(found());

  const Outcome again = expect_success(command({"--hybrid"}));
  EXPECT_TRUE(measured(again).empty()) << again.err;
}

// With a learning rate so low that others do better.
TEST_F(SearchTest, TheCommandOnThePageTrainsTheSameModel) {
  const std::string config = workspace_.write("slow.json", R"({"training": {"learning_rate": 0.0005}})");
  Arguments words = command({"--config", config, "--metric", "example-F1"});
  const auto rate = std::find(words.begin(), words.end(), "training.learning_rate=0.05");
  words.erase(rate - 1, rate + 1);
  expect_success(words);
  EXPECT_NE(Json::parse(contents(found("search/refit/result.json"))).at("trial"), "network-0");
  const std::string page = contents(found("search.html"));
  std::smatch match;
  ASSERT_TRUE(std::regex_search(
      page, match, std::regex("To train the same model again:</p>\\s*<pre class=\"command\">(.*?)</pre>")));
  std::string line = std::regex_replace(match[1].str(), std::regex("</?span>"), "");
  line = std::regex_replace(line, std::regex("^otseq2set"), "\"$$1\"");
  line = std::regex_replace(line, std::regex("MODEL$"), workspace_.path("again") + " --threads 1");
  const Outcome outcome = run_in_shell(line);
  ASSERT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
  expect_same_weights(found(), workspace_.path("again"));
  EXPECT_EQ(contents(found("set_rule.json")), contents(workspace_.path("again") + "/set_rule.json"));
  EXPECT_EQ(Json::parse(contents(found("set_rule.json"))).at("measure"), "example-F1");
}

TEST_F(SearchTest, KilledAtAnyMomentItGoesOnWithoutRepeatingWhatIsDone) {
  std::map<std::string, std::string> before;
  std::string plan;
  int kills = 0;
  for (const auto& [done, delay] : {std::pair<size_t, int>{0, 300}, {1, 50}, {2, 400}, {4, 0}, {5, 250}}) {
    Program program(command({"--hybrid"}));
    ASSERT_TRUE(program.wait_until([&, least = done] { return results().size() >= least; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    program.signal(SIGKILL);
    kills += program.wait().code == 128 + SIGKILL;
    for (const auto& [file, text] : before) EXPECT_EQ(contents(file), text) << file;
    before = results();
    if (fs::exists(found("search/plan.json"))) {
      const std::string now = contents(found("search/plan.json"));
      EXPECT_TRUE(plan.empty() || plan == now) << now;
      plan = now;
    }
  }
  EXPECT_EQ(kills, 5);
  EXPECT_GE(before.size(), 5u);
  const Outcome outcome = expect_success(command({"--hybrid"}));
  const auto after = results();
  for (const auto& [file, text] : before) EXPECT_EQ(after.at(file), text) << file;
  EXPECT_EQ(measured(outcome).size(), after.size() - before.size()) << outcome.err;
  EXPECT_EQ(table().size(), after.size());
  EXPECT_EQ(contents(found("search/plan.json")), plan);
  expect_success({"predict", "--model", found(), "--data", workspace_.data()});
}

TEST_F(SearchTest, KilledWhileItTrainsTheWinnerItGoesOnWithThatWinner) {
  Program program(command());
  ASSERT_TRUE(program.wait_until([&] { return fs::exists(found("search/refit/winner.json")); }));
  program.signal(SIGKILL);
  program.wait();
  const std::string winner = contents(found("search/refit/winner.json"));
  const Outcome outcome = expect_success(command());
  EXPECT_TRUE(measured(outcome).empty()) << outcome.err;
  EXPECT_EQ(contents(found("search/refit/winner.json")), winner);
  expect_success({"predict", "--model", found(), "--data", workspace_.data()});
}

TEST_F(SearchTest, AnInterruptSavesAndSaysHowToGoOn) {
  Program program(command());
  ASSERT_TRUE(program.wait_until([&] { return fs::exists(found("search/network-1/config.json")); }));
  program.signal(SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, kInterrupted);
  EXPECT_NE(outcome.last_error_line().find("nothing is lost; to continue, run: "), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(found("search/network-1/claim.1"))) << "the next program need not wait";
}

TEST_F(SearchTest, TwoProgramsShareTheWork) {
  Program first(command({"--hybrid"})), second(command({"--hybrid"}));
  const Outcome one = first.wait(), two = second.wait();
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(two.code, 0) << two.err;
  std::vector<std::string> all = measured(one) + measured(two);
  EXPECT_EQ(all.size(), results().size());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end()) << "a rung was done twice";
  EXPECT_FALSE(measured(one).empty());
  EXPECT_FALSE(measured(two).empty());
  expect_success({"predict", "--model", found(), "--data", workspace_.data()});
}

// The small model fixes nearly all; the others may change.
TEST_F(SearchTest, WhatIsSetStaysAndTheRestIsSearched) {
  expect_success(command({"--set", "loss.scheme=first_n"}));
  std::set<std::string> changed;
  for (const Json& row : table()) {
    for (const auto& [key, value] : row.at("settings").items()) changed.insert(key);
  }
  EXPECT_FALSE(changed.empty());
  for (const char* key : {"loss.scheme", "model.hidden", "training.epochs", "training.batch", "model.max_words"}) {
    EXPECT_EQ(changed.count(key), 0u) << key;
  }
  for (const Json& row : table()) {
    const Json config = Json::parse(contents(found("search/" + row.at("trial").get<std::string>() + "/config.json")));
    EXPECT_EQ(config.at("loss").at("scheme"), "first_n");
    EXPECT_EQ(config.at("model").at("hidden"), 12);
  }
}

TEST_F(SearchTest, TheSameSeedMakesTheSamePlan) {
  const auto plan = [&](const std::string& model, const std::string& seed) {
    expect_success(command({"--hybrid", "--seed", seed}, model));
    const Json json = Json::parse(contents(workspace_.path(model) + "/search/plan.json"));
    EXPECT_TRUE(json.at("networks").at(0).at("settings").empty());
    return json;
  };
  const Json one = plan("one", "1"), again = plan("again", "1"), other = plan("other", "2");
  for (const char* part : {"networks", "linears"}) {
    EXPECT_EQ(one.at(part), again.at(part));
    EXPECT_NE(one.at(part), other.at(part));
  }
}

TEST_F(SearchTest, WithoutTimeForAllEpochsThereAreFewer) {
  const std::string config = workspace_.write("long.json", R"({"training": {"epochs": 4000}})");
  Arguments words = {"search",    "--data", workspace_.data(), "--model", found(), "--minutes", "0.12",
                     "--threads", "1",      "--config",        config};
  for (const std::string& word : small_model()) {
    if (word == "training.epochs=2") {
      words.pop_back();
    } else {
      words.push_back(word);
    }
  }
  const Outcome outcome = expect_success(words);
  EXPECT_NE(outcome.err.find("there is no time for the given 4000 epochs"), std::string::npos) << outcome.err;
  const Json first = table().at(0);
  EXPECT_LT(first.at("all_epochs").get<int>(), 4000);
  EXPECT_EQ(first.at("settings").at("training.epochs"), first.at("all_epochs"));
  expect_success({"predict", "--model", found(), "--data", workspace_.data()});
}

TEST_F(SearchTest, ALinearModelByItself) {
  expect_success(command({"--variant", "linear", "--metric", "macro-F1"}));
  for (const Json& row : table()) EXPECT_EQ(row.at("trial").get<std::string>().rfind("linear-", 0), 0u);
  EXPECT_GT(table().size(), 1u);
  EXPECT_EQ(Json::parse(contents(found("set_rule.json"))).at("measure"), "macro-F1");
  EXPECT_FALSE(fs::exists(found("weights.safetensors")));
  expect_success({"predict", "--model", found(), "--data", workspace_.data()});
}

TEST_F(SearchTest, AFolderBelongsToItsSearch) {
  expect_success(command());
  expect_failure(run_program(command({"--metric", "macro-F1"})), kFailure, {"metric", "--model"});
  expect_failure(run_program(command({"--seed", "2"})), kFailure, {"seed", "--model"});
  expect_failure(run_program(command({"--set", "model.dropout=0.4"})), kFailure, {"fixed", "--model"});
  workspace_.write("data.jsonl", small_corpus(60, 5));
  expect_failure(run_program(command()), kFailure, {"documents", "--model"});
  workspace_.train("trained");
  expect_failure(run_program(command({}, "trained")), kFailure, {"contains a model", "--model"});
}

TEST_F(SearchTest, WrongUsage) {
  const Arguments plain = {"search", "--data", workspace_.data(), "--model", found()};
  expect_failure(run_program(plain), kWrongUsage, {"--hours", "--minutes"});
  expect_failure(run_program(plain + Arguments{"--hours", "0"}), kWrongUsage, {"--hours"});
  expect_failure(run_program(plain + Arguments{"--hours", "1", "--minutes", "5"}), kWrongUsage, {"--minutes"});
  expect_failure(run_program(plain + Arguments{"--hours", "1", "--metric", "speed"}), kWrongUsage, {"--metric"});
  expect_failure(run_program(plain + Arguments{"--hours", "1", "--set", "model.hiden=3"}), kWrongUsage,
                 {"model.hiden", "did you mean"});
  expect_failure(run_program(plain + Arguments{"--hours", "1", "--set", "training.valid_fraction=0"}), kWrongUsage,
                 {"valid_fraction", "--valid"});
  expect_failure(run_program(plain + Arguments{"--hours", "1", "--set", "training.more_seeds=2,3"}), kWrongUsage,
                 {"training.more_seeds"});
  expect_failure(run_program({"search", "--data", "-", "--model", found(), "--hours", "1"}), kWrongUsage,
                 {"standard input"});
  EXPECT_FALSE(fs::exists(found()));
  expect_failure(run_program({"search", "--data", workspace_.path("none"), "--model", found(), "--hours", "1"}),
                 kFailure, {"none"});
}

// What the first candidate cannot do, none can.
TEST_F(SearchTest, AFaultOfTheGivenConfigurationEndsTheSearch) {
  const std::string vectors = workspace_.write("vectors.txt", "topic1x0 1 2 3\n");
  expect_failure(run_program(command({"--vectors", vectors})), kFailure, {"vectors.txt"});
}

}  // namespace
}  // namespace otseq2set::testing
