#include "otseq2set/kernels/label_lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "otseq2set/core/random.h"
#include "support/highway_targets.h"

namespace otseq2set::testing {
namespace {

constexpr int64_t kFeatures = 64;

struct alignas(64) Line {
  float of_label[kLabelLanes];
};

// A document with some features, and weights for all of them.
struct Case {
  explicit Case(int64_t size) : weights(kFeatures) {
    RandomStream random(1, "lanes", {static_cast<uint64_t>(size)});
    for (int64_t i = 0; i < size; ++i) {
      features.push_back(static_cast<int32_t>(random.below(kFeatures)));
      values.push_back(static_cast<float>(random.uniform(-1, 1)));
    }
    for (Line& line : weights) {
      for (float& weight : line.of_label) weight = static_cast<float>(random.uniform(-1, 1));
    }
    for (float& factor : factors) factor = static_cast<float>(random.uniform(-1, 1));
  }
  SparseRow row() const { return {features.data(), values.data(), static_cast<int64_t>(features.size())}; }

  std::vector<int32_t> features;
  std::vector<float> values;
  std::vector<Line> weights;
  float factors[kLabelLanes] = {};
};

// The error of a sum of n products is at most n roundings of the sum of their sizes.
double tolerance(double sizes, int64_t n) {
  return (static_cast<double>(n) + 1) * std::numeric_limits<float>::epsilon() * sizes;
}

TEST(LabelLanes, ProductsAgreeWithPlainSums) {
  for_each_target([] {
    for (const int64_t size : {0, 1, 2, 3, 11, 12, 13, 40}) {
      const Case c(size);
      float products[kLabelLanes];
      lane_products(c.row(), c.weights[0].of_label, products);
      for (int64_t lane = 0; lane < kLabelLanes; ++lane) {
        double sum = 0, sizes = 0;
        for (int64_t i = 0; i < size; ++i) {
          const double product = static_cast<double>(c.values[i]) * c.weights[c.features[i]].of_label[lane];
          sum += product;
          sizes += std::fabs(product);
        }
        EXPECT_NEAR(products[lane], sum, tolerance(sizes, size)) << size << " features, lane " << lane;
      }
    }
  });
}

TEST(LabelLanes, AddingChangesTheRowsFeaturesAndNoOthers) {
  for_each_target([] {
    for (const int64_t size : {0, 1, 2, 3, 13, 40}) {
      Case c(size);
      const std::vector<Line> before = c.weights;
      lane_add(c.row(), c.factors, c.weights[0].of_label);
      for (int64_t feature = 0; feature < kFeatures; ++feature) {
        for (int64_t lane = 0; lane < kLabelLanes; ++lane) {
          double sum = before[feature].of_label[lane], sizes = std::fabs(sum);
          for (int64_t i = 0; i < size; ++i) {
            if (c.features[i] != feature) continue;
            const double product = static_cast<double>(c.values[i]) * c.factors[lane];
            sum += product;
            sizes += std::fabs(product);
          }
          EXPECT_NEAR(c.weights[feature].of_label[lane], sum, tolerance(sizes, size));
        }
      }
    }
  });
}

}  // namespace
}  // namespace otseq2set::testing
