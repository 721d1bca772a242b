#include "otseq2set/search/importance.h"

#include <gtest/gtest.h>

#include "otseq2set/core/random.h"

namespace otseq2set::testing {
namespace {

RungResult result_of(Json settings, double value) {
  RungResult result;
  result.settings = std::move(settings);
  result.value = value;
  return result;
}

const Json kBase = {{"model", {{"hidden", 128}}}, {"loss", {{"lambda", 2.0}}}};

TEST(Importance, TheSettingThatDecidesExplainsNearlyAllAndTheOtherNothing) {
  std::vector<RungResult> results;
  RandomStream random(1, "importance");
  for (int i = 0; i < 60; ++i) {
    Json settings = Json::object();
    const bool wide = random.below(2) == 0;
    if (wide) settings["model.hidden"] = 256;
    if (random.below(2) == 0) settings["loss.lambda"] = 8.0;
    results.push_back(result_of(settings, (wide ? 0.6 : 0.5) + random.uniform(0, 0.02)));
  }
  const std::vector<SettingScore> scores = setting_scores(results, kBase);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].key, "model.hidden");
  EXPECT_GT(*scores[0].explained, 0.95);
  EXPECT_LT(*scores[1].explained, 0.1);
  ASSERT_EQ(scores[0].values.size(), 2u);
  EXPECT_EQ(scores[0].values[0].value, 128) << "the given value is one of them";
  EXPECT_NEAR(scores[0].values[0].mean(), 0.51, 0.005);
  EXPECT_EQ(scores[0].values[0].scores.size() + scores[0].values[1].scores.size(), 60u);
}

TEST(Importance, ChanceExplainsNothingOnAverage) {
  double sum = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "chance");
    std::vector<RungResult> results;
    for (int i = 0; i < 12; ++i) {
      results.push_back(result_of({{"model.hidden", 64 * (1 + random.below(4))}}, random.uniform()));
    }
    for (const SettingScore& score : setting_scores(results, kBase)) sum += *score.explained;
  }
  EXPECT_LT(sum / 200, 0.15) << "without the correction it would be a quarter";
}

TEST(Importance, SaysNothingWhereThereIsNothingToSay) {
  EXPECT_TRUE(setting_scores({}, kBase).empty());
  EXPECT_TRUE(setting_scores({result_of(Json::object(), 0.5)}, kBase).empty());
  const auto few = setting_scores({result_of(Json::object(), 0.5), result_of({{"loss.lambda", 8.0}}, 0.6)}, kBase);
  ASSERT_EQ(few.size(), 1u);
  EXPECT_FALSE(few[0].explained);
  // One candidate that does well says little about each of its settings.
  std::vector<RungResult> one_outlier(9, result_of(Json::object(), 0.5));
  for (size_t i = 0; i < 9; ++i) *one_outlier[i].value += 0.001 * static_cast<double>(i);
  one_outlier.push_back(result_of({{"loss.lambda", 8.0}, {"model.hidden", 256}}, 0.9));
  for (const SettingScore& score : setting_scores(one_outlier, kBase)) EXPECT_FALSE(score.explained) << score.key;
  // Failures and higher rungs do not count.
  RungResult failed = result_of({{"model.hidden", 256}}, 0), later = result_of({{"model.hidden", 256}}, 0.9);
  failed.value.reset();
  later.rung = 1;
  EXPECT_TRUE(setting_scores({failed, later, result_of(Json::object(), 0.5)}, kBase).empty());
}

}  // namespace
}  // namespace otseq2set::testing
