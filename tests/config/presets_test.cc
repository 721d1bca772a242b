#include "otseq2set/config/presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

Config preset(const std::string& name) {
  Config config;
  apply_preset(config, name);
  return config;
}

TEST(Presets, AreAllThereAndValid) {
  const std::vector<std::string> names = preset_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()),
            (std::set<std::string>{"amazon_670k", "amazoncat_13k", "cpu_small", "debtags", "eurlex_4k", "paper",
                                   "wiki10_31k"}));
  for (const std::string& name : names) EXPECT_NO_THROW(check_consistency(preset(name))) << name;
}

TEST(Presets, UnknownOnesListTheKnown) {
  const std::string message = message_of<UsageError>([] { preset("eurlex"); });
  EXPECT_NE(message.find("eurlex:"), std::string::npos) << message;
  for (const std::string& name : preset_names()) EXPECT_NE(message.find(name), std::string::npos) << message;
}

// The table "Sizes" of the specification.
struct Row {
  std::string name;
  int64_t epochs, batch;
  double rate;
  int64_t words, steps, bottleneck, stride, label_embedding;
  std::string label_vectors, scheme;
  int64_t labels;
  double propensity_a, propensity_b;
};

TEST(Presets, HaveThePapersHyperParameters) {
  for (const Row& row :
       std::vector<Row>{{"eurlex_4k", 20, 32, 0.001, 1000, 24, 0, 3, 300, "words", "all", 3956, 0.55, 1.5},
                        {"wiki10_31k", 15, 32, 0.001, 2000, 30, 300, 4, 300, "words", "first_n", 30938, 0.55, 1.5},
                        {"amazoncat_13k", 5, 64, 0.0005, 500, 57, 0, 3, 300, "words", "first_n", 13330, 0.6, 2.6},
                        {"amazon_670k", 20, 64, 0.0005, 500, 7, 512, 3, 100, "random", "all", 670091, 0.6, 2.6}}) {
    SCOPED_TRACE(row.name);
    const Config config = preset(row.name);
    EXPECT_EQ(config.variant, "otseq2set");
    EXPECT_EQ(config.training.epochs, row.epochs);
    EXPECT_EQ(config.training.batch, row.batch);
    EXPECT_EQ(config.training.learning_rate, row.rate);
    EXPECT_EQ(config.model.max_words, row.words);
    EXPECT_EQ(config.model.steps, row.steps);
    EXPECT_EQ(config.model.bottleneck, row.bottleneck);
    EXPECT_EQ(config.model.light_conv.last_stride, row.stride);
    EXPECT_EQ(config.model.label_embedding, row.label_embedding);
    EXPECT_EQ(config.model.label_vectors, row.label_vectors);
    EXPECT_EQ(config.loss.scheme, row.scheme);
    EXPECT_EQ(config.model.labels, row.labels);
    EXPECT_EQ(config.evaluation.propensity_a, row.propensity_a);
    EXPECT_EQ(config.evaluation.propensity_b, row.propensity_b);
    // The same for all.
    EXPECT_EQ(config.model.word_embedding, 300);
    EXPECT_EQ(config.model.encoder_layers, 2);
    EXPECT_EQ(config.model.hidden, 512);
    EXPECT_EQ(config.model.dropout, 0.2);
    EXPECT_EQ(config.model.light_conv.kernels, (std::vector<int64_t>{3, 7, 15, 30}));
    EXPECT_EQ(config.model.light_conv.heads, 0);
    EXPECT_EQ(config.training.clip, 8);
    EXPECT_EQ(config.loss.lambda_empty, 0.2);
    EXPECT_EQ(config.loss.lambda, 8);
    EXPECT_EQ(config.text.vocabulary, 50000);
  }
}

TEST(Presets, CpuSmall) {
  const Config config = preset("cpu_small");
  EXPECT_EQ(config.model.hidden, 256);
  EXPECT_EQ(config.model.word_embedding, 100);
  EXPECT_EQ(config.model.max_words, 300);
  EXPECT_EQ(config.model.bottleneck, 0);
}

}  // namespace
}  // namespace otseq2set
