// otseq2set reproduce: whole comparisons on a small corpus, killed and shared.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

class ReproduceTest : public ::testing::Test {
 protected:
  ReproduceTest() { workspace_.write("test.jsonl", small_corpus(40, 77)); }

  std::string out(const std::string& file = "") const {
    return workspace_.path("out" + (file.empty() ? "" : "/" + file));
  }
  Arguments command(const std::string& variants, const Arguments& more = {}) const {
    return Arguments{"reproduce", "--data",     workspace_.data(), "--test",    test_,    "--out",
                     out(),       "--variants", variants,          "--schemes", "first_n"} +
           small_model() + more;
  }
  Json results() const { return Json::parse(contents(out("results.json"))); }

  // What must not depend on how often the work was interrupted: everything but times and memory.
  static std::string without_times(const Json& results) {
    return std::regex_replace(
        results.dump(1),
        std::regex(R"re("[a-z_]*(seconds|per_second|memory_bytes|encoder|decoder|loss|optimiser)": ?[-+.e0-9]+)re"),
        "");
  }

  // Runs that a program began, by their names.
  static std::vector<std::string> begun(const Outcome& outcome) {
    std::vector<std::string> names;
    for (const std::string& line : lines_of(outcome.err)) {
      std::smatch match;
      if (std::regex_match(line, match, std::regex(R"(== (\S+) \(.*\))"))) names.push_back(match[1]);
    }
    return names;
  }

  // The file of a folder whose name begins so.
  static std::string only_file(const std::string& folder, const std::string& begin) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with(begin)) found.push_back(entry.path());
    }
    EXPECT_EQ(found.size(), 1u) << begin << " in " << folder;
    return found.empty() ? "" : found.front();
  }

  Workspace workspace_{80};
  std::string test_ = workspace_.path("test.jsonl");
};

TEST_F(ReproduceTest, TrainsMeasuresAndReports) {
  const Outcome outcome =
      expect_success(command("seq2seq,otseq2set", {"--seeds", "1,2", "--sweep", "loss.lambda=0,8", "--beam", "2"}));
  const std::string first_n = "otseq2set-loss.scheme=first_n";
  EXPECT_EQ(begun(outcome),
            (std::vector<std::string>{"seq2seq-seed1", first_n + "-seed1", first_n + "-loss.lambda=0-seed1",
                                      "seq2seq-seed2", first_n + "-seed2", first_n + "-loss.lambda=0-seed2"}))
      << outcome.err;
  for (const char* file : {"report.html", "results.json", "results.csv", "table.tex"}) {
    EXPECT_TRUE(fs::exists(out(file))) << file;
  }
  const Json found = results();
  ASSERT_EQ(found.at("systems").size(), 4u);
  const Json& run = found.at("systems").at(0).at("runs").at(1);
  EXPECT_EQ(run.at("seed"), 2);
  EXPECT_EQ(run.at("config").at("variant"), "seq2seq");
  std::vector<std::string> sets;
  for (const Json& set : run.at("sets")) sets.push_back(set.at("name"));
  EXPECT_EQ(sets, (std::vector<std::string>{"greedy", "tuned", "beam"}));
  EXPECT_EQ(found.at("test").at("documents"), 40);
  expect_no_temporary_files(out());
}

// The measures in the report are those of `eval` on the same model.
TEST_F(ReproduceTest, MeasuresAsEvalDoes) {
  expect_success(command("otseq2set"));
  const std::string model = out("runs/otseq2set-loss.scheme=first_n-seed1/model");
  const auto micro_f1 = [&](const std::string& rule) {
    expect_success({"eval", "--model", model, "--data", workspace_.path("test.jsonl"), "--rule", rule, "--metrics-file",
                    workspace_.path("metrics.json")});
    return Json::parse(contents(workspace_.path("metrics.json"))).at("micro-F1").get<double>();
  };
  for (const Json& set : results().at("systems").at(0).at("runs").at(0).at("sets")) {
    EXPECT_DOUBLE_EQ(set.at("micro_f1").get<double>(), micro_f1(set.at("name"))) << set.at("name");
  }
}

TEST_F(ReproduceTest, KeepsPredictionsAsPredictWritesThem) {
  expect_success(command("seq2seq,otseq2set", {"--title", "Tags <of> autumn"}));
  for (const std::string run : {"seq2seq-seed1", "otseq2set-loss.scheme=first_n-seed1"}) {
    const std::string kept = contents(only_file(out("runs/" + run), "predictions-"));
    const Outcome predicted =
        expect_success({"predict", "--model", out("runs/" + run + "/model"), "--data", workspace_.path("test.jsonl")});
    EXPECT_EQ(lines_of(kept).size(), 40u);
    EXPECT_EQ(kept, predicted.out) << run;
  }
  EXPECT_NE(contents(out("report.html")).find("<h1>Tags &lt;of&gt; autumn</h1>"), std::string::npos);
}

TEST_F(ReproduceTest, KilledAtAnyMomentItGoesOnToTheSameReport) {
  expect_success(command("seq2seq,otseq2set"));
  const std::string expected = without_times(results());
  fs::remove_all(out());
  int kills = 0;
  for (int delay : {150, 400, 700, 1100, 1600}) {
    Program program(command("seq2seq,otseq2set", {"--checkpoint-minutes", "0"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    program.signal(SIGKILL);
    kills += program.wait().code == 128 + SIGKILL;
  }
  EXPECT_GT(kills, 0);
  expect_success(command("seq2seq,otseq2set"));
  EXPECT_EQ(without_times(results()), expected);
  const Outcome again = expect_success(command("seq2seq,otseq2set"));
  EXPECT_TRUE(begun(again).empty()) << again.err;
}

TEST_F(ReproduceTest, AnInterruptSavesAndSaysHowToGoOn) {
  Program program(command("seq2seq,otseq2set", {"--set", "training.epochs=300"}));
  ASSERT_TRUE(program.wait_until([&] { return fs::exists(out("runs/seq2seq-seed1/model/log.jsonl")); }));
  program.signal(SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, kInterrupted);
  EXPECT_NE(outcome.last_error_line().find("nothing is lost; to continue, run: "), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::exists(out("runs/seq2seq-seed1/model/training_state.safetensors")));
  EXPECT_FALSE(fs::exists(out("runs/seq2seq-seed1/claim.1"))) << "the next program need not wait";
}

TEST_F(ReproduceTest, TwoProgramsShareTheWork) {
  const Arguments both = command("seq2seq,otseq2set", {"--seeds", "1,2,3"});
  Program first(both), second(both);
  const Outcome one = first.wait(), two = second.wait();
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(two.code, 0) << two.err;
  std::vector<std::string> all = begun(one) + begun(two);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all.size(), 6u) << one.err << two.err;
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end()) << "a run was done twice";
  EXPECT_FALSE(begun(one).empty());
  EXPECT_FALSE(begun(two).empty());
  for (const Json& system : results().at("systems")) EXPECT_EQ(system.at("runs").size(), 3u);
}

TEST_F(ReproduceTest, OtherPredictionsInTheSameTable) {
  std::string predictions;
  for (const Json& document : json_lines(contents(workspace_.path("test.jsonl")))) {
    Json labels = Json::array();
    for (const Json& label : document.at("labels")) labels.push_back({{"label", label}, {"score", 0.9}});
    predictions += Json{{"id", document.at("id")}, {"labels", labels}}.dump() + "\n";
  }
  workspace_.write("oracle.jsonl", predictions);
  expect_success(command("seq2seq", {"--predictions", "Oracle=" + workspace_.path("oracle.jsonl")}));
  const Json oracle = results().at("systems").at(1);
  EXPECT_EQ(oracle.at("title"), "Oracle");
  EXPECT_EQ(oracle.at("kind"), "peer");
  EXPECT_EQ(oracle.at("runs").at(0).at("sets").at(1).at("micro_f1"), 1.0);
}

// What one program breaks is no reason for the others to stop.
TEST_F(ReproduceTest, ARunThatCannotBeMeasuredLeavesTheOthers) {
  expect_success(command("seq2seq"));
  fs::remove_all(out("runs/mlc2seq-seed1"));
  fs::create_directories(out("runs/mlc2seq-seed1"));
  fs::copy(out("runs/seq2seq-seed1/model"), out("runs/mlc2seq-seed1/model"), fs::copy_options::recursive);
  std::ofstream(out("runs/mlc2seq-seed1/model/log.jsonl")) << "no log\n";
  const Outcome outcome = run_program(command("mlc2seq,seq2seq_lc"));
  EXPECT_EQ(outcome.code, kFailure);
  EXPECT_NE(outcome.err.find("mlc2seq-seed1 failed"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::exists(out("runs/seq2seq_lc-seed1/model/weights.safetensors"))) << outcome.err;
}

TEST_F(ReproduceTest, FastTextBesides) {
  if (run_in_shell("command -v fasttext").code != 0) GTEST_SKIP() << "fasttext is not installed";
  expect_success(command("seq2seq", {"--with", "fasttext", "--seeds", "1,2"}));
  const Json fasttext = results().at("systems").at(1);
  EXPECT_EQ(fasttext.at("title"), "fastText");
  ASSERT_EQ(fasttext.at("runs").size(), 2u) << "one for each seed";
  EXPECT_EQ(fasttext.at("runs").at(1).at("seed"), 2);
  const Json& sets = fasttext.at("runs").at(0).at("sets");
  EXPECT_EQ(sets.at(0).at("name"), "best k");
  EXPECT_GT(sets.at(1).at("micro_f1").get<double>(), 0.5) << "the words of the corpus give its labels away";
  // Its kept predictions are another tool's predictions.
  const std::string kept = only_file(out("runs/fasttext-seed1"), "predictions-");
  expect_success(command("seq2seq", {"--predictions", "Again=" + kept}));
  EXPECT_EQ(results().at("systems").at(1).at("runs").at(0).at("at"), fasttext.at("runs").at(0).at("at"));
}

TEST_F(ReproduceTest, AFolderBelongsToItsDataAndSettings) {
  expect_success(command("seq2seq"));
  expect_failure(run_program(command("seq2seq", {"--set", "training.learning_rate=0.5"})), kFailure,
                 {"training.learning_rate was", "--out"});
  const std::string vectors = workspace_.write("vectors.txt", "topic1x0 1 2 3 4 5 6 7 8\n");
  expect_failure(run_program(command("seq2seq", {"--vectors", vectors})), kFailure, {"word vectors", "--out"});
  workspace_.write("data.jsonl", small_corpus(60, 5));
  expect_failure(run_program(command("seq2seq")), kFailure, {"other data", "--out"});
}

TEST_F(ReproduceTest, OtherTestDocumentsOnlyAreMeasuredAnew) {
  expect_success(command("seq2seq"));
  const std::string weights = contents(out("runs/seq2seq-seed1/model/weights.safetensors"));
  workspace_.write("test.jsonl", small_corpus(30, 78));
  const Outcome outcome = expect_success(command("seq2seq"));
  EXPECT_NE(outcome.err.find("training has already finished"), std::string::npos) << outcome.err;
  EXPECT_EQ(results().at("test").at("documents"), 30);
  EXPECT_EQ(contents(out("runs/seq2seq-seed1/model/weights.safetensors")), weights);
}

TEST_F(ReproduceTest, WrongUsage) {
  expect_failure(run_program(command("best")), kWrongUsage, {"best"});
  expect_failure(run_program(command("seq2seq,otseq2set", {"--sweep", "loss.lamda=3"})), kWrongUsage, {"loss.lambda"});
  expect_failure(run_program(command("seq2seq,otseq2set", {"--predictions", "nothing"})), kWrongUsage, {"NAME=TEST"});
  expect_failure(run_program(command("seq2seq", {"--variant", "sgm"})), kWrongUsage,
                 {"no option --variant ", "--variants"});
  expect_failure(run_program(command("seq2seq", {"--valid", "-"})), kWrongUsage, {"standard input"});
  test_ = "-";
  expect_failure(run_program(command("seq2seq")), kWrongUsage, {"standard input"});
  test_ = workspace_.path("none.jsonl");
  expect_failure(run_program(command("seq2seq")), kFailure, {"none.jsonl"});
}

}  // namespace
}  // namespace otseq2set::testing
