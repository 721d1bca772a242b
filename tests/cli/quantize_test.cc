// otseq2set quantize, and every command with such a model.
#include <filesystem>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

namespace fs = std::filesystem;

// A hybrid of two networks and a linear model, as it was trained and quantised.
class QuantizeTest : public ::testing::Test {
 protected:
  static Workspace& workspace() {
    static Workspace* workspace = [] {
      auto* made = new Workspace(200);
      made->train(made->path("model"), {"--set", "linear.hybrid=true", "--set", "training.more_seeds=[5]"});
      expect_success(
          {"quantize", "--model", made->path("model"), "--out", made->path("small"), "--data", made->data()});
      return made;
    }();
    return *workspace;
  }
  static std::string path(const std::string& name) { return workspace().path(name); }
  static Arguments with(const std::string& model) { return {"--model", path(model), "--data", workspace().data()}; }
  static double micro_f1(const std::string& model) {
    const std::string file = path("metrics.json");
    expect_success(Arguments{"eval"} + with(model) + Arguments{"--metrics-file", file});
    return Json::parse(contents(file)).at("micro-F1");
  }
};

TEST_F(QuantizeTest, WritesACompleteFolderAndNothingElse) {
  EXPECT_EQ(files_in(path("small")),
            (std::vector<std::string>{"SHA256SUMS", "config.json", "joining.json", "labels.jsonl", "linear.safetensors",
                                      "members", "metrics.json", "set_rule.json", "weights.safetensors", "words.txt"}));
  EXPECT_EQ(files_in(path("small/members/5")), std::vector<std::string>{"weights.safetensors"});
  for (const std::string& name : files_in(path(""))) EXPECT_NE(name.rfind("small.", 0), 0u) << name << " is left";
  EXPECT_LT(fs::file_size(path("small/weights.safetensors")), fs::file_size(path("model/weights.safetensors")) / 2);
  const Json config = Json::parse(contents(path("small/config.json")));
  EXPECT_EQ(config.at("format"), 2) << "older programs refuse it";
  EXPECT_EQ(Json::parse(contents(path("model/config.json"))).at("format"), 1) << "and read what they could before";
}

TEST_F(QuantizeTest, TellsSizeAndQualityBeforeAndAfter) {
  const Outcome outcome = expect_success(Arguments{"quantize", "--out", path("told")} + with("model"));
  for (const char* part : {"float32", "int8", "size", "micro-F1", "P@1", "P@3", "P@5", "points", "on 200 documents"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  }
  for (const auto& entry : fs::recursive_directory_iterator(path("small"))) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), path("small"));
    EXPECT_EQ(contents(entry.path()), contents(path("told/" + name))) << "the same bytes again: " << name;
  }
}

TEST_F(QuantizeTest, EveryCommandTakesIt) {
  EXPECT_NEAR(micro_f1("small"), micro_f1("model"), 0.02);
  EXPECT_EQ(json_lines(expect_success(Arguments{"predict"} + with("small")).out).size(), 200u);
  for (const Json& line : json_lines(expect_success(Arguments{"explain"} + with("small")).out)) {
    for (const Json& label : line.at("labels")) EXPECT_FALSE(label.at("words").empty()) << line;
  }
  const std::string info = expect_success({"info", "--model", path("small")}).out;
  EXPECT_NE(info.find("int8 (quantised"), std::string::npos) << info;
  EXPECT_EQ(Json::parse(expect_success({"info", "--json", "--model", path("small")}).out).at("weights"), "int8");
  EXPECT_EQ(Json::parse(expect_success({"info", "--json", "--model", path("model")}).out).at("weights"), "float32");
  expect_success(Arguments{"tune"} + with("small"));
}

TEST_F(QuantizeTest, AnswersAreTheSameOnEveryInstructionSet) {
  const Arguments predict = Arguments{"predict", "--threshold", "0.001"} + with("small");
  const std::string best = expect_success(predict).out;
  for (const char* target : {"SSE4", "AVX2", "AVX3"}) {
    // Names that the machine's kernels are not compiled for are refused, as on ARM.
    const Outcome outcome = run_in_shell(std::string("OTSEQ2SET_HIGHEST_TARGET=") + target + " \"$@\"", predict);
    if (outcome.err.find("compiled for") != std::string::npos) continue;
    EXPECT_EQ(outcome.out, best) << target;
  }
  EXPECT_EQ(expect_success(predict + Arguments{"--threads", "1"}).out, best);
}

TEST_F(QuantizeTest, EveryKindOfModel) {
  for (const char* variant : {"linear", "sgm", "mlc2seq", "bm"}) {
    const std::string name = std::string("kind_") + variant, small = name + "_small";
    workspace().train(path(name), {"--variant", variant, "--set", "model.bottleneck=8"});
    expect_success(Arguments{"quantize", "--out", path(small), "--max-loss", "5"} + with(name));
    EXPECT_NEAR(micro_f1(small), micro_f1(name), 0.05) << variant;
    if (std::string(variant) == "mlc2seq") expect_success(Arguments{"predict", "--beam", "3"} + with(small));
  }
}

TEST_F(QuantizeTest, NearestDocumentsAreRoundedToo) {
  workspace().train(path("neighbours"), {"--set", "linear.hybrid=true", "--set", "linear.neighbours=true"});
  expect_success(Arguments{"quantize", "--out", path("neighbours_small")} + with("neighbours"));
  EXPECT_NEAR(micro_f1("neighbours_small"), micro_f1("neighbours"), 0.02);
}

TEST_F(QuantizeTest, FewerWords) {
  const auto words_of = [](const std::string& model) {
    return Json::parse(expect_success({"info", "--json", "--model", path(model)}).out).at("words").get<int>();
  };
  expect_success({"quantize", "--model", path("model"), "--out", path("few"), "--words", "10"});
  EXPECT_EQ(words_of("few"), 10);
  EXPECT_EQ(contents(path("few/words.txt")), contents(path("model/words.txt"))) << "the linear model knows all";
  workspace().train(path("network"));
  expect_success({"quantize", "--model", path("network"), "--out", path("few_network"), "--words", "10"});
  EXPECT_EQ(words_of("few_network"), 10);
  const std::vector<std::string> all = lines_of(contents(path("network/words.txt")));
  EXPECT_EQ(lines_of(contents(path("few_network/words.txt"))), std::vector<std::string>(all.begin(), all.begin() + 10));
  expect_success(Arguments{"predict"} + with("few"));
  expect_success(Arguments{"predict"} + with("few_network"));
}

TEST_F(QuantizeTest, ALossThatIsTooLargeWritesNothing) {
  // With three words left, next to nothing can be told.
  workspace().train(path("lost"));
  const Outcome outcome =
      run_program(Arguments{"quantize", "--out", path("worse"), "--words", "3", "--max-loss", "1"} + with("lost"));
  expect_failure(outcome, kFailure, {"worse", "points", "--max-loss", "nothing was written"});
  EXPECT_FALSE(fs::exists(path("worse")));
  EXPECT_FALSE(fs::exists(path("worse.tmp")));
}

TEST_F(QuantizeTest, IsForPredictionAlone) {
  expect_failure(run_program(workspace().train_arguments(path("small"), {"--resume"})), kFailure,
                 {"small", "quantize", "prediction alone"});
  expect_failure(run_program({"quantize", "--model", path("small"), "--out", path("smaller")}), kFailure,
                 {"quantised already"});
  EXPECT_FALSE(fs::exists(path("smaller")));
}

TEST_F(QuantizeTest, DoesNotOverwrite) {
  expect_failure(run_program({"quantize", "--model", path("model"), "--out", path("small")}), kFailure,
                 {"small", "exists already"});
}

TEST_F(QuantizeTest, DamagedBytesAreNamed) {
  fs::copy(path("small"), path("damaged"), fs::copy_options::recursive);
  const std::string weights = contents(path("damaged/weights.safetensors"));
  // A scale that is no number: scales are among the float32 values, which come first.
  const size_t header = 8 + *reinterpret_cast<const uint64_t*>(weights.data());
  std::string broken = weights;
  broken.replace(header, 4, "\xff\xff\xff\xff");
  workspace().write("damaged/weights.safetensors", broken);
  expect_failure(run_program(Arguments{"predict"} + with("damaged")), kFailure, {"weights.safetensors", "damaged"});
  workspace().write("damaged/weights.safetensors", weights);
  std::string linear = contents(path("damaged/linear.safetensors"));
  linear.back() = static_cast<char>(0);
  workspace().write("damaged/linear.safetensors", linear);
  run_program(Arguments{"predict"} + with("damaged"));  // a byte that may be any weight or gap: no crash
}

}  // namespace
}  // namespace otseq2set::testing
