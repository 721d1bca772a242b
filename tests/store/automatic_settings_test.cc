#include "otseq2set/store/automatic_settings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace otseq2set {
namespace {

// Titles of about nine words with up to five tags.
CorpusFigures titles() {
  CorpusFigures data;
  data.documents = 10000;
  data.labels = 700;
  data.rare_labels = 100;
  data.lengths = {{4, 1000}, {9, 6000}, {11, 2400}, {20, 600}};
  data.label_set_sizes = {{1, 2000}, {2, 4500}, {3, 2500}, {4, 940}, {5, 60}};
  data.named_labels = true;
  return data;
}

// Long documents with many labels.
CorpusFigures laws() {
  CorpusFigures data;
  data.documents = 45000;
  data.labels = 4000;
  data.rare_labels = 1500;
  data.lengths = {{100, 5000}, {400, 25000}, {1500, 15000}};
  data.label_set_sizes = {{3, 15000}, {5, 15000}, {8, 14000}, {12, 1000}};
  data.named_labels = true;
  return data;
}

struct Chosen {
  Config config;
  std::vector<ChosenSetting> settings;

  bool has(const std::string& key) const {
    return std::any_of(settings.begin(), settings.end(), [&](const auto& one) { return one.key == key; });
  }
};

Chosen choose(const CorpusFigures& data, const Circumstances& circumstances, const std::set<std::string>& given = {},
              const Config& start = {}) {
  Chosen chosen{start, {}};
  chosen.settings = choose_settings(data, circumstances, given, chosen.config);
  return chosen;
}

TEST(AutomaticSettings, StepsAndKernelsFollowTheDocuments) {
  const Config config = choose(titles(), {1, 2, 100}).config;
  EXPECT_EQ(config.model.steps, 4);  // 99 % of the documents
  EXPECT_EQ(config.model.light_conv.kernels, (std::vector<int64_t>{3, 7}));
  EXPECT_EQ(config.model.max_words, 20);
  EXPECT_EQ(config.model.word_embedding, 100);
  EXPECT_EQ(choose(laws(), {24, 2, 100}).config.model.light_conv.kernels, LightConvConfig().kernels);
}

TEST(AutomaticSettings, TransportNeedsNamesAndVectors) {
  CorpusFigures data = titles();
  EXPECT_GT(choose(data, {1, 2, 100}).config.loss.lambda, 0);
  EXPECT_EQ(choose(data, {1, 2, 0}).config.loss.lambda, 0);
  data.named_labels = false;
  EXPECT_EQ(choose(data, {1, 2, 100}).config.loss.lambda, 0);
}

TEST(AutomaticSettings, SchemeFollowsTheLabelSets) {
  CorpusFigures data = titles();
  EXPECT_EQ(choose(data, {}).config.loss.scheme, "first_n");
  data.label_set_sizes = {{1, 10}, {9, 90}};
  EXPECT_EQ(choose(data, {}).config.loss.scheme, "all");
}

TEST(AutomaticSettings, TrainingFitsIntoTheTime) {
  for (const double hours : {0.05, 0.2, 1.0, 4.0}) {
    const Config config = choose(laws(), {hours, 2, 100}).config;
    EXPECT_LE(training_seconds(config, laws(), 2), 3600 * hours) << hours;
  }
  const auto units = [](double hours) { return choose(laws(), {hours, 2, 100}).config.model.hidden; };
  EXPECT_LT(units(1), units(24));
  EXPECT_LE(choose(laws(), {1, 2, 100}).config.training.epochs, choose(laws(), {1, 16, 100}).config.training.epochs);
}

TEST(AutomaticSettings, GivenSettingsStay) {
  Config start;
  start.model.hidden = 512;
  start.model.max_words = 777;
  const Chosen chosen = choose(laws(), {0.1, 1, 100}, {"model.hidden", "model.max_words", "linear.hybrid"}, start);
  EXPECT_EQ(chosen.config.model.hidden, 512);
  EXPECT_EQ(chosen.config.model.max_words, 777);
  EXPECT_FALSE(chosen.config.linear.hybrid);
  for (const char* key : {"model.hidden", "model.max_words", "linear.hybrid"}) EXPECT_FALSE(chosen.has(key)) << key;
  EXPECT_EQ(chosen.config.training.epochs, 1);  // all that is left to give up
}

TEST(AutomaticSettings, RareLabelsGetMoreEvidence) {
  CorpusFigures data = laws();
  EXPECT_FALSE(choose(data, {}).config.linear.neighbours);
  data.rare_labels = 3000;
  EXPECT_TRUE(choose(data, {}).config.linear.neighbours);
  EXPECT_TRUE(choose(data, {}).config.linear.names);
  data.named_labels = false;
  EXPECT_FALSE(choose(data, {}).config.linear.names);
}

TEST(AutomaticSettings, AVariantThatWasAskedForStandsAlone) {
  Config start;
  start.variant = "linear";
  const Chosen linear = choose(laws(), {}, {"variant"}, start);
  EXPECT_TRUE(linear.settings.empty());
  start.variant = "seq2seq";
  const Chosen sequence = choose(laws(), {}, {"variant"}, start);
  EXPECT_FALSE(sequence.config.linear.hybrid);
  EXPECT_FALSE(sequence.has("loss.scheme"));
  EXPECT_FALSE(sequence.has("model.light_conv.kernels"));
}

TEST(AutomaticSettings, EachIsChosenOnceAndCanBeGivenBack) {
  for (const CorpusFigures& data : {titles(), laws(), CorpusFigures()}) {
    const Chosen chosen = choose(data, {0.2, 2, 50});
    std::set<std::string> keys;
    Config again;
    for (const ChosenSetting& one : chosen.settings) {
      EXPECT_TRUE(keys.insert(one.key).second) << one.key;
      EXPECT_FALSE(one.why.empty()) << one.key;
      apply_assignment(again, assignment_of(one));
    }
    EXPECT_TRUE(differences(chosen.config, again).empty());
    check_consistency(again);
  }
}

}  // namespace
}  // namespace otseq2set
