#include "otseq2set/store/memory_estimate.h"

#include <gtest/gtest.h>

#include <functional>

#include "otseq2set/config/presets.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set {
namespace {

constexpr int64_t kWordIds = 20'002, kLabelIds = 603;

Config base() {
  Config config;
  config.model.hidden = 128;
  config.model.max_words = 120;
  config.model.steps = 24;
  return config;
}

TEST(MemoryEstimate, GrowsWithWhateverTakesMemory) {
  const MemoryEstimate before = estimate_memory(base(), kWordIds, kLabelIds, 2);
  const std::vector<std::pair<const char*, std::function<void(Config&)>>> changes = {
      {"hidden", [](Config& c) { c.model.hidden *= 2; }},
      {"max_words", [](Config& c) { c.model.max_words *= 2; }},
      {"word_embedding", [](Config& c) { c.model.word_embedding *= 2; }},
      {"label_embedding", [](Config& c) { c.model.label_embedding *= 2; }},
  };
  for (const auto& [what, change] : changes) {
    Config config = base();
    change(config);
    const MemoryEstimate after = estimate_memory(config, kWordIds, kLabelIds, 2);
    EXPECT_GT(after.training, before.training) << what;
    EXPECT_GT(after.prediction, before.prediction) << what;
  }
  Config steps = base(), layers = base();
  steps.model.steps *= 2;
  layers.model.encoder_layers *= 2;
  for (const Config& config : {steps, layers}) {
    EXPECT_GT(estimate_memory(config, kWordIds, kLabelIds, 2).training, before.training);
  }
  EXPECT_GT(estimate_memory(base(), 2 * kWordIds, kLabelIds, 2).training, before.training);
  EXPECT_GT(estimate_memory(base(), kWordIds, 2 * kLabelIds, 2).training, before.training);
  EXPECT_GT(estimate_memory(base(), kWordIds, kLabelIds, 4).training, before.training);
  EXPECT_GT(estimate_memory(base(), kWordIds, kLabelIds, 4).prediction, before.prediction);
}

TEST(MemoryEstimate, SmallBatchesHelpUntilValidationNeedsMore) {
  const auto training = [](int64_t batch) {
    Config config = base();
    config.training.batch = batch;
    return estimate_memory(config, kWordIds, kLabelIds, 4).training;
  };
  EXPECT_LT(training(64), training(128));
  EXPECT_EQ(training(1), training(2));
  EXPECT_GT(training(1), estimate_memory(base(), kWordIds, kLabelIds, 4).prediction);
}

TEST(MemoryEstimate, CoversWhatMustBeThere) {
  for (const std::string& name : preset_names()) {
    Config config;
    apply_preset(config, name);
    config.model.labels = std::max<int64_t>(config.model.labels, 600);
    config.model.steps = std::max<int64_t>(config.model.steps, 20);
    const int64_t words = config.text.vocabulary + 2, labels = config.model.labels + kFirstLabel;
    const auto size = static_cast<uint64_t>(parameter_count(words, labels, config));
    const MemoryEstimate memory = estimate_memory(config, words, labels, 2);
    // Parameters, gradients, two moments; prediction needs the parameters and what it works on.
    EXPECT_GT(memory.training, 16 * size) << name;
    EXPECT_GT(memory.prediction, 4 * size) << name;
    EXPECT_LT(memory.prediction, memory.training) << name;
    EXPECT_LT(memory.training, 100e9) << name << " on two threads should fit a server";
  }
}

// The sequence variants decode as far as the longest list of labels,
// whatever model.steps says; only targets have logits.
TEST(MemoryEstimate, FollowsTheLabelListsOfSequenceVariants) {
  for (const Variant& variant : variants()) {
    if (!variant.network) continue;
    Config config = base();
    config.variant = variant.name;
    const auto with = [&](const SequenceSizes& lists) {
      return estimate_memory(config, kWordIds, kLabelIds, 2, lists).training;
    };
    const SequenceSizes usual{25, 32 * 25}, long_list{3001, 3001 + 31 * 25}, long_lists{3001, 32 * 3001};
    EXPECT_EQ(with(usual), estimate_memory(config, kWordIds, kLabelIds, 2).training) << variant.name;
    EXPECT_EQ(with(long_list) > with(usual), variant.sequence) << variant.name;
    EXPECT_EQ(with(long_lists) > with(long_list), variant.sequence && !variant.global_embedding) << variant.name;
  }
}

TEST(MemoryEstimate, CountsTheLargestBatchOfLabels) {
  Dataset data(10, 9);
  for (const std::vector<int32_t>& labels : std::vector<std::vector<int32_t>>{{1}, {1, 2, 3}, {}, {4, 5, 6, 7, 8}}) {
    data.add("a", std::vector<int32_t>{2}, labels);
  }
  EXPECT_EQ(sequence_sizes(data, 2).steps, 6);
  EXPECT_EQ(sequence_sizes(data, 2).targets, 6 + 4);
  EXPECT_EQ(sequence_sizes(data, 100).targets, 6 + 4 + 2 + 1);
  EXPECT_EQ(sequence_sizes(Dataset(10, 9), 2).targets, 0);
}

// Absurd sizes are large numbers, not small ones that wrapped around.
TEST(MemoryEstimate, DoesNotOverflow) {
  Config config = base();
  config.model.hidden = 65536;
  config.model.encoder_layers = 16;
  config.model.max_words = 1'000'000;
  config.model.steps = 65536;
  EXPECT_GT(estimate_memory(config, 100'000'002, 100'000'003, 64).training, 1'000'000'000'000'000u);
}

TEST(GroupsAtOnce, OneOnEachThreadUnlessTheyAreFewOrLarge) {
  Config large;
  apply_preset(large, "eurlex_4k");
  large.model.steps = 24;
  EXPECT_EQ(groups_at_once(base(), 10, 8, 4), 4);
  EXPECT_EQ(groups_at_once(base(), 10, 7, 4), 1);
  EXPECT_EQ(groups_at_once(base(), 1 << 20, 8, 4), 1) << "logits";
  EXPECT_EQ(groups_at_once(large, 3959, 8, 4), 1) << "states of words";
}

}  // namespace
}  // namespace otseq2set
