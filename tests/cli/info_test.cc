// info: the exact sizes of the paper's models, and the configuration in force.
#include "cli/workspace.h"

namespace otseq2set::testing {
namespace {

Json info(const Arguments& more) { return Json::parse(expect_success(Arguments{"info", "--json"} + more).out); }

TEST(Info, ParametersOfThePresets) {
  for (const auto& [preset, parameters] : std::vector<std::pair<std::string, int64_t>>{{"eurlex_4k", 40'505'464},
                                                                                       {"wiki10_31k", 47'444'906},
                                                                                       {"amazoncat_13k", 70'136'678},
                                                                                       {"amazon_670k", 439'813'919}}) {
    const Json json = info({"--preset", preset, "--variant", "otseq2set"});
    ASSERT_TRUE(json.at("parameters").is_number_integer()) << json;
    EXPECT_EQ(json.at("parameters"), parameters) << preset;
    EXPECT_GT(json.at("training_memory_bytes"), 16 * parameters) << "parameters, gradients and two moments";
    EXPECT_GT(json.at("prediction_memory_bytes"), 4 * parameters);
  }
  const std::string text = expect_success({"info", "--preset", "eurlex_4k", "--variant", "otseq2set"}).out;
  EXPECT_NE(text.find("40505464"), std::string::npos) << text;
}

TEST(Info, ShowsTheConfigurationInForce) {
  const Workspace space(0);
  const std::string file = space.write("config.json", R"({"model":{"hidden":7,"steps":3},"training":{"batch":5}})");
  const Json json = info({"--preset", "eurlex_4k", "--config", file, "--set", "model.steps=4", "--set",
                          "training.batch=6", "--set", "model.steps=9", "--variant", "bm"});
  EXPECT_EQ(json.at("variant"), "bm");
  const Json& config = json.at("config");
  EXPECT_EQ(config.at("model").at("hidden"), 7) << "a file goes over a preset";
  EXPECT_EQ(config.at("training").at("batch"), 6) << "--set goes over a file";
  EXPECT_EQ(config.at("model").at("steps"), 9) << "the last --set counts";
  EXPECT_EQ(config.at("model").at("labels"), 3956) << "the preset stays";
  // bm has neither LightConv nor its context, so it is smaller.
  EXPECT_LT(json.at("parameters"), info({"--preset", "eurlex_4k", "--config", file}).at("parameters"));
}

// What `info --json` shows can be given back as a configuration, as can the config.json of a model folder.
TEST(Info, ItsConfigurationCanBeGivenBack) {
  const Workspace space(16);
  space.train("model", {"--set", "training.epochs=1"});
  const Json shown = info({"--model", space.path("model")}).at("config");
  const std::string file = space.write("shown.json", shown.dump());
  EXPECT_EQ(info({"--config", file}).at("config"), shown);
  EXPECT_EQ(info({"--config", space.path("model") + "/config.json"}).at("config"), shown);
}

}  // namespace
}  // namespace otseq2set::testing
