// otseq2set tune, and the set rule in predict and eval.
#include <filesystem>

#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

class TuneTest : public ::testing::Test {
 protected:
  static Workspace& workspace() {
    static Workspace* workspace = [] {
      auto* made = new Workspace(200);
      made->train(made->path("model"));
      return made;
    }();
    return *workspace;
  }
  std::string model() const { return workspace().path("model"); }
  Json rule() const { return Json::parse(contents(model() + "/set_rule.json")); }
  void set_rule(const std::string& kind, double threshold) const {
    write_rule(Json{{"rule", kind}, {"threshold", threshold}}.dump());
  }
  // By hand, which the list of sums would notice.
  void write_rule(const std::string& text) const {
    std::filesystem::remove(model() + "/SHA256SUMS");
    workspace().write("model/set_rule.json", text);
  }
  std::string predicted(const Arguments& more = {}) const {
    return expect_success(Arguments{"predict", "--model", model(), "--data", workspace().data()} + more).out;
  }
};

TEST_F(TuneTest, TrainingFindsARule) {
  const Workspace fresh(100);
  const Outcome outcome = fresh.train(fresh.path("model"));
  EXPECT_NE(outcome.err.find("set rule: "), std::string::npos) << outcome.err;
  const Json rule = Json::parse(contents(fresh.path("model/set_rule.json")));
  EXPECT_EQ(rule.at("measure"), "micro-F1");
  EXPECT_EQ(rule.at("documents"), 10);
  EXPECT_GE(rule.at("value").get<double>(), rule.at("greedy_value").get<double>());
}

TEST_F(TuneTest, KeepsTheRuleThatEvalThenUses) {
  const Outcome tuned =
      expect_success({"tune", "--model", model(), "--data", workspace().data(), "--metric", "example-F1"});
  EXPECT_EQ(rule().at("measure"), "example-F1");
  EXPECT_EQ(rule().at("documents"), 200);
  EXPECT_NE(tuned.out.find("example-F1"), std::string::npos) << tuned.out;
  const auto measured = [&](const Arguments& more) {
    const std::string file = workspace().path("metrics.json");
    expect_success(Arguments{"eval", "--model", model(), "--data", workspace().data(), "--metrics-file", file} + more);
    return Json::parse(contents(file)).at("example-F1").get<double>();
  };
  EXPECT_NEAR(measured({}), rule().at("value").get<double>(), 1e-9);
  EXPECT_NEAR(measured({"--rule", "greedy"}), rule().at("greedy_value").get<double>(), 1e-9);
}

TEST_F(TuneTest, PredictUsesTheRuleUnlessToldOtherwise) {
  set_rule("threshold", 0.3);
  EXPECT_EQ(predicted(), predicted({"--threshold", "0.3"}));
  const std::string greedy = predicted({"--rule", "greedy"});
  set_rule("greedy", 0);
  EXPECT_EQ(predicted(), greedy);
  EXPECT_NE(predicted({"--threshold", "0.01"}), greedy);
}

TEST_F(TuneTest, ARuleThatIsNoneIsAnError) {
  for (const char* text : {"{}", "[]", R"({"rule":"best","threshold":0.5})", R"({"rule":"threshold","threshold":7})",
                           R"({"rule":"threshold"})"}) {
    write_rule(text);
    expect_failure(run_program({"predict", "--model", model(), "--data", workspace().data()}), kFailure,
                   {"set_rule.json"});
  }
  set_rule("greedy", 0);
}

TEST_F(TuneTest, WrongUsage) {
  expect_failure(run_program({"tune", "--model", model(), "--data", workspace().data(), "--metric", "luck"}),
                 kWrongUsage, {"luck"});
  expect_failure(run_program({"predict", "--model", model(), "--data", workspace().data(), "--beam", "4"}), kWrongUsage,
                 {"sequence models", "otseq2set"});
}

TEST_F(TuneTest, BeamSearchOfASequenceModel) {
  const Workspace fresh(100);
  fresh.train(fresh.path("model"), {"--variant", "mlc2seq"});
  const Arguments predict = {"predict", "--model", fresh.path("model"), "--data", fresh.data(), "--rule", "greedy"};
  const std::string one = expect_success(predict).out;
  EXPECT_EQ(expect_success(predict + Arguments{"--beam", "1"}).out, one);
  const std::string four = expect_success(predict + Arguments{"--beam", "4", "--threads", "1"}).out;
  EXPECT_EQ(json_lines(four).size(), 100u);
  EXPECT_EQ(expect_success(predict + Arguments{"--beam", "4", "--threads", "2"}).out, four);
}

}  // namespace
}  // namespace otseq2set::testing
