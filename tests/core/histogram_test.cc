#include "otseq2set/core/histogram.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

TEST(Histogram, MeanCountsEachValueAsOftenAsItOccurs) {
  const Histogram histogram = {{1, 3}, {5, 1}};
  EXPECT_EQ(total(histogram), 4u);
  EXPECT_DOUBLE_EQ(mean(histogram), 2);
  EXPECT_DOUBLE_EQ(mean(histogram, 3), 1.5);
  EXPECT_DOUBLE_EQ(share_at_or_below_mean(histogram), 0.75);
}

TEST(Histogram, QuantileIsTheLeastValueThatTheShareDoesNotExceed) {
  const Histogram histogram = {{1, 50}, {2, 49}, {9, 1}};
  EXPECT_EQ(quantile(histogram, 0.5), 1u);
  EXPECT_EQ(quantile(histogram, 0.51), 2u);
  EXPECT_EQ(quantile(histogram, 0.99), 2u);
  EXPECT_EQ(quantile(histogram, 1), 9u);
}

TEST(Histogram, WithoutValuesEverythingIsZero) {
  EXPECT_EQ(quantile({}, 0.5), 0u);
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(share_at_or_below_mean({}), 0);
}

}  // namespace
}  // namespace otseq2set
