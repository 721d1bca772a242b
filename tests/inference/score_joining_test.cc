#include "otseq2set/inference/score_joining.h"

#include <gtest/gtest.h>

#include <cmath>

#include "otseq2set/core/random.h"

namespace otseq2set::testing {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(ScoreJoining, FindsTheWeightsThatMadeTheData) {
  const ScoreJoining truth{0.7, 3, -0.5};
  JoiningFit fit;
  RandomStream random(1, "examples");
  for (int i = 0; i < 200000; ++i) {
    const auto network = static_cast<float>(random.uniform(0.01, 0.99)),
               margin = static_cast<float>(random.uniform(-2, 1));
    fit.add(network, margin, random.uniform() < joined_score(truth, network, margin));
  }
  const ScoreJoining found = fit.best();
  EXPECT_NEAR(found.network, truth.network, 0.05);
  EXPECT_NEAR(found.linear, truth.linear, 0.1);
  EXPECT_NEAR(found.bias, truth.bias, 0.05);
}

TEST(ScoreJoining, AModelWithoutASayHasNoWeight) {
  JoiningFit fit;
  RandomStream random(1, "examples");
  for (int i = 0; i < 20000; ++i) {
    const auto margin = static_cast<float>(random.uniform(-2, 1));
    fit.add(std::nullopt, margin, random.uniform() < sigmoid(2 * margin));
  }
  EXPECT_EQ(fit.best().network, 0);
  EXPECT_NEAR(fit.best().linear, 2, 0.1);
}

TEST(ScoreJoining, CertainScoresStayFinite) {
  JoiningFit fit;
  for (int i = 0; i < 100; ++i) fit.add(i % 2 == 0 ? 1.0F : 0.0F, static_cast<float>(i % 2 == 0 ? 1 : -1), i % 2 == 0);
  const ScoreJoining found = fit.best();  // every example is told apart: the weights grow, but not without end
  EXPECT_TRUE(std::isfinite(found.network) && std::isfinite(found.linear) && std::isfinite(found.bias));
  EXPECT_GT(joined_score(found, 1.0F, 1.0F), 0.99);
  EXPECT_LT(joined_score(found, 0.0F, -1.0F), 0.01);
}

TEST(ScoreJoining, NothingToFitGivesNoWeights) {
  const ScoreJoining found = JoiningFit().best();
  EXPECT_EQ(found.network, 0);
  EXPECT_EQ(found.linear, 0);
}

}  // namespace
}  // namespace otseq2set::testing
