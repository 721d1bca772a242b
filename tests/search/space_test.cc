#include "otseq2set/search/space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "otseq2set/config/presets.h"

namespace otseq2set::testing {
namespace {

DataFigures data_of(uint32_t longest) {
  DataFigures data;
  data.documents = 2000;
  data.valid_documents = 200;
  for (uint32_t i = 0; i < 2000; ++i) data.lengths.push_back(1 + i * longest / 2000);
  data.most_labels = 6;
  data.labels = 50;
  for (uint64_t i = 0; i < 1000; ++i) data.word_counts.push_back(1 + 5000 / (i + 1));
  return data;
}

Config preset(const char* name) {
  Config config;
  apply_preset(config, name);
  return config;
}

std::vector<Candidate> draw(const Config& base, const DataFigures& data, uint64_t seed, size_t count = 50,
                            const std::set<std::string>& fixed = {}) {
  return draw_candidates(base, network_choices(base, fixed, data), fixed.count("training.epochs") == 0, seed, count,
                         [](const Config&) { return true; });
}

std::string text_of(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const Candidate& candidate : candidates)
    text += fmt::format("{} {}\n", candidate.settings.dump(), candidate.epochs);
  return text;
}

const SettingChoice* find(const std::vector<SettingChoice>& choices, const std::string& key) {
  for (const SettingChoice& choice : choices) {
    if (choice.key == key) return &choice;
  }
  return nullptr;
}

TEST(Space, TheSameSeedDrawsTheSameCandidates) {
  const Config base = preset("cpu_small");
  const std::string text = text_of(draw(base, data_of(200), 1));
  EXPECT_EQ(text, text_of(draw(base, data_of(200), 1)));
  EXPECT_NE(text, text_of(draw(base, data_of(200), 2)));
  // However many there are.
  const std::string some = text_of(draw(base, data_of(200), 1, 10));
  EXPECT_EQ(text.substr(0, some.size()), some);
}

TEST(Space, TheFirstCandidateChangesNothingAndAllOthersSomething) {
  const Config base = preset("debtags");
  const std::vector<Candidate> candidates = draw(base, data_of(100), 3);
  ASSERT_EQ(candidates.size(), 50u);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Config config = with_candidate(base, candidates[i], base.training.epochs);
    EXPECT_EQ(differences(base, config).empty(), i == 0) << candidates[i].settings.dump();
    EXPECT_LE(differences(base, config).size(), 5u);
    EXPECT_NO_THROW(check_consistency(config));
  }
}

TEST(Space, FixedKeysAndPartsThatAVariantLacksAreLeft) {
  Config base = preset("cpu_small");
  const std::set<std::string> fixed = {"model.hidden", "loss.scheme", "training.epochs"};
  for (const Candidate& candidate : draw(base, data_of(200), 1, 200, fixed)) {
    EXPECT_EQ(candidate.epochs, 1);
    for (const std::string& key : fixed) EXPECT_FALSE(candidate.settings.contains(key));
  }
  base.variant = "seq2seq";
  const auto choices = network_choices(base, {}, data_of(200));
  for (const char* key : {"loss.lambda", "loss.scheme", "loss.lambda_empty", "model.light_conv.kernels"}) {
    EXPECT_EQ(find(choices, key), nullptr) << key;
  }
  base.variant = "linear";
  EXPECT_TRUE(network_choices(base, {}, data_of(200)).empty());
  EXPECT_FALSE(linear_choices(base, {}).empty());
}

TEST(Space, TheDataBoundsTheValues) {
  const Config base = preset("cpu_small");  // reads 300 words
  const auto for_long = network_choices(base, {}, data_of(5000)), for_short = network_choices(base, {}, data_of(24));
  const SettingChoice* words = find(for_long, "model.max_words");
  ASSERT_NE(words, nullptr);
  for (const Json& value : words->values) EXPECT_LE(value.get<int64_t>(), 4 * base.model.max_words);
  words = find(for_short, "model.max_words");
  ASSERT_NE(words, nullptr);
  for (const Json& value : words->values) EXPECT_LT(value.get<int64_t>(), 30);
  const SettingChoice* kernels = find(for_short, "model.light_conv.kernels");
  ASSERT_NE(kernels, nullptr) << "the given ones look at 52 words, half of the documents have 12";
  EXPECT_EQ(kernels->values, (std::vector<Json>{{3}, {3, 7}}));
  const SettingChoice* batch = find(for_long, "training.batch");
  ASSERT_NE(batch, nullptr);
  for (const Json& value : batch->values) EXPECT_LE(8 * value.get<uint64_t>(), data_of(1).documents);
  const SettingChoice* counts = find(for_long, "text.min_count");
  ASSERT_NE(counts, nullptr);
  EXPECT_EQ(std::count(counts->values.begin(), counts->values.end(), Json(10)), 0) << "too much of the text would go";
}

TEST(Space, WhatDoesNotFitIsDrawnAgain) {
  const Config base = preset("cpu_small");
  const DataFigures data = data_of(200);
  const uint64_t memory = training_memory(base, data, 2) * 11 / 10;
  const auto fits = [&](const Config& config) { return training_memory(config, data, 2) <= memory; };
  const auto candidates = draw_candidates(base, network_choices(base, {}, data), true, 1, 60, fits);
  EXPECT_EQ(candidates.size(), 60u);
  size_t larger = 0;
  for (const Candidate& candidate : candidates) {
    EXPECT_TRUE(fits(with_candidate(base, candidate, 10)));
    larger += candidate.settings.value("model.hidden", 0) > 2 * base.model.hidden - 1;
  }
  EXPECT_EQ(larger, 0u);
}

TEST(Space, EpochsFollowThoseOfTheFirst) {
  Candidate candidate;
  candidate.epochs = 1.5;
  EXPECT_EQ(with_candidate(preset("cpu_small"), candidate, 4).training.epochs, 6);
  candidate.epochs = 0.67;
  EXPECT_EQ(with_candidate(preset("cpu_small"), candidate, 1).training.epochs, 1);
}

TEST(Space, LinearModelsAreAllCombinationsInTheSeedsOrder) {
  Config base = preset("debtags");
  const auto choices = linear_choices(base, {});
  const auto all = shuffled_candidates(choices, 1);
  EXPECT_EQ(all.size(), 25u);  // 5 values of linear.c, 5 of linear.pairs
  EXPECT_TRUE(all[0].settings.empty());
  EXPECT_EQ(text_of(all), text_of(shuffled_candidates(choices, 1)));
  EXPECT_NE(text_of(all), text_of(shuffled_candidates(choices, 2)));
  EXPECT_EQ(shuffled_candidates(linear_choices(base, {"linear.c"}), 1).size(), 5u);
}

}  // namespace
}  // namespace otseq2set::testing
