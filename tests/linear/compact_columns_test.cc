#include "otseq2set/linear/compact_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "otseq2set/core/random.h"
#include "otseq2set/linear/weight_columns.h"

namespace otseq2set::testing {
namespace {

// Random weights: a share of all pairs of feature and classifier.
WeightColumns random_columns(int32_t features, int32_t classifiers, double share) {
  RandomStream stream(5, "compact columns");
  std::vector<ClassifierWeight> weights;
  for (int32_t feature = 0; feature < features; ++feature) {
    for (int32_t classifier = 0; classifier < classifiers; ++classifier) {
      if (stream.uniform(0, 1) < share) {
        weights.push_back({feature, classifier, static_cast<float>(stream.uniform(-3, 3))});
      }
    }
  }
  std::vector<float> bias(classifiers);
  for (float& one : bias) one = static_cast<float>(stream.uniform(-1, 1));
  return {weights, bias, static_cast<size_t>(features)};
}

float scale_of(const WeightColumns& columns, int32_t features, int32_t classifier) {
  float largest = 0;
  for (int32_t feature = 0; feature < features; ++feature) {
    largest = std::max(largest, std::abs(columns.weight(feature, classifier)));
  }
  return largest / 127;
}

void expect_near(int32_t features, int32_t classifiers, double share) {
  const WeightColumns exact = random_columns(features, classifiers, share), rounded = exact.quantised();
  ASSERT_NE(rounded.compact(), nullptr);
  EXPECT_TRUE(rounded.compact()->is_sound());
  std::vector<float> scales;
  for (int32_t i = 0; i < classifiers; ++i) scales.push_back(scale_of(exact, features, i));
  for (int32_t feature = 0; feature < features; ++feature) {
    for (int32_t i = 0; i < classifiers; ++i) {
      ASSERT_NEAR(rounded.weight(feature, i), exact.weight(feature, i), 0.50001 * scales[i]) << feature << " " << i;
    }
  }
  const std::vector<Feature> row = {{0, 0.5F}, {features / 2, 0.25F}, {features - 1, -1.0F}};
  const std::vector<float> margins = exact.margins(row), near = rounded.margins(row);
  for (int32_t i = 0; i < classifiers; ++i) {
    ASSERT_NEAR(near[i], margins[i], 1.75 * 0.50001 * scales[i] + 1e-5) << "half a step of each weight";
  }
}

TEST(CompactColumns, KeepEveryWeightToHalfAStep) {
  expect_near(9, 40, 0.5);
  expect_near(5, 1, 0.5);
  expect_near(7, 3000, 0.2);
}

TEST(CompactColumns, WideGapsAreBridged) {
  expect_near(4, 5000, 0.001);
  const std::vector<ClassifierWeight> ends = {{0, 0, 1.0F}, {0, 69999, -2.0F}, {1, 255, 3.0F}};
  const WeightColumns columns = WeightColumns(ends, std::vector<float>(70000), 3).quantised();
  EXPECT_FLOAT_EQ(columns.weight(0, 0), 1);
  EXPECT_FLOAT_EQ(columns.weight(0, 69999), -2);
  EXPECT_FLOAT_EQ(columns.weight(1, 255), 3);
  EXPECT_EQ(columns.weight(0, 65535), 0);
  EXPECT_TRUE(columns.is_used(1));
  EXPECT_FALSE(columns.is_used(2));
  EXPECT_FLOAT_EQ(columns.margins({{0, 2.0F}})[69999], -4);
}

TEST(CompactColumns, ColumnsThatLeaveTheClassifiersAreNotSound) {
  const auto with = [](std::vector<uint8_t> gaps) {
    return CompactColumns(std::vector<uint32_t>{0, 2}, SharedArray(std::move(gaps)), std::vector<int8_t>{1, 1},
                          std::vector<float>{1, 1, 1});
  };
  EXPECT_TRUE(with({1, 2}).is_sound());
  EXPECT_FALSE(with({2, 2}).is_sound()) << "beyond the last";
  EXPECT_FALSE(with({0, 1}).is_sound()) << "before the first";
}

}  // namespace
}  // namespace otseq2set::testing
