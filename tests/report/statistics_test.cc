#include "otseq2set/report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "otseq2set/report/numbers.h"

namespace otseq2set {
namespace {

TEST(Statistics, MeanAndSpread) {
  const Summary three = summarise({0.60, 0.62, 0.67});
  EXPECT_EQ(three.count, 3);
  EXPECT_NEAR(three.mean, 0.63, 1e-12);
  // deviations -0.03, -0.01, 0.04: sqrt((0.0009 + 0.0001 + 0.0016) / 2)
  EXPECT_NEAR(three.spread, std::sqrt(0.0013), 1e-12);
}

TEST(Statistics, OneAndNone) {
  EXPECT_EQ(summarise({0.5}).count, 1);
  EXPECT_EQ(summarise({0.5}).mean, 0.5);
  EXPECT_EQ(summarise({0.5}).spread, 0);
  EXPECT_EQ(summarise({}).count, 0);
  EXPECT_EQ(summarise({}).mean, 0);
}

TEST(Statistics, WhatIsNoNumberDoesNotCount) {
  const Summary summary = summarise({1, NAN, 3, INFINITY});
  EXPECT_EQ(summary.count, 2);
  EXPECT_EQ(summary.mean, 2);
  EXPECT_NEAR(summary.spread, std::sqrt(2.0), 1e-12);
}

TEST(Statistics, DifferencesAgainstTheSpreadOfTheSeeds) {
  const Summary low = summarise({0.50, 0.52}), near = summarise({0.52, 0.54}), far = summarise({0.58, 0.60});
  EXPECT_EQ(difference_of(low, near), Difference::kWithinSpread);  // 2 points, 1.41 and 1.41
  EXPECT_EQ(difference_of(near, low), Difference::kWithinSpread);
  EXPECT_EQ(difference_of(low, far), Difference::kBeyondSpread);
  EXPECT_EQ(difference_of(far, low), Difference::kBeyondSpread);
  EXPECT_EQ(difference_of(low, summarise({0.9})), Difference::kUnknown);
  EXPECT_EQ(difference_of(summarise({}), low), Difference::kUnknown);
}

TEST(Statistics, RelativeChange) {
  EXPECT_NEAR(relative_change(58.23, 62.46), 0.0726, 5e-5);  // the paper's 7.26 %
  EXPECT_NEAR(relative_change(2, 1), -0.5, 1e-12);
  EXPECT_TRUE(std::isnan(relative_change(0, 1)));
  EXPECT_TRUE(std::isnan(relative_change(0, 0)));
  EXPECT_EQ(signed_percent(relative_change(0, 1), 2), "–");
}

Summary of(double mean) { return {1, mean, 0}; }

TEST(Statistics, Best) {
  EXPECT_EQ(best_of({of(0.51), of(0.62), of(0.60)}, 4), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(best_of({of(-2), of(-1)}, 2), (std::vector<bool>{false, true}));
}

TEST(Statistics, WhatLooksTheSameIsEquallyGood) {
  EXPECT_EQ(best_of({of(0.62001), of(0.62004), of(0.6202)}, 4), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(best_of({of(0.62001), of(0.62004)}, 4), (std::vector<bool>{true, true}));
}

TEST(Statistics, NothingIsBestAlone) {
  EXPECT_EQ(best_of({of(0.5)}, 4), std::vector<bool>{false});
  EXPECT_EQ(best_of({of(0.5), Summary{}}, 4), (std::vector<bool>{false, false}));
  EXPECT_EQ(best_of({Summary{}, of(-0.5), of(-0.7)}, 4), (std::vector<bool>{false, true, false}));
}

TEST(Statistics, WeightedMean) {
  WeightedMean mean;
  EXPECT_EQ(mean.mean(), 0);
  mean.add(0.1, 3);
  mean.add(0.5, 1);
  EXPECT_NEAR(mean.mean(), 0.2, 1e-12);
}

}  // namespace
}  // namespace otseq2set
