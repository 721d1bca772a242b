#include "otseq2set/linear/compact_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "otseq2set/core/error.h"

namespace otseq2set::inline linear {

namespace {

// max |weight| / 127 of each classifier
std::vector<float> scales_of(const SharedArray<int32_t>& classifiers, const SharedArray<float>& weights,
                             size_t classifier_count) {
  std::vector<float> scales(classifier_count);
  for (size_t i = 0; i < weights.size(); ++i) {
    scales[classifiers[i]] = std::max(scales[classifiers[i]], std::abs(weights[i]));
  }
  for (float& scale : scales) scale /= 127;
  return scales;
}

template <typename Gap>
struct Columns {
  std::vector<uint32_t> ends = {0};
  std::vector<Gap> gaps;
  std::vector<int8_t> weights;

  void add(int64_t gap, int8_t weight) {
    constexpr int64_t kWidest = std::numeric_limits<Gap>::max();
    for (; gap > kWidest; gap -= kWidest) {
      gaps.push_back(static_cast<Gap>(kWidest));
      weights.push_back(0);
    }
    gaps.push_back(static_cast<Gap>(gap));
    weights.push_back(weight);
  }

  void end_column() {
    if (weights.size() > UINT32_MAX) fail("a linear model of 2^32 weights or more cannot be quantised");
    ends.push_back(static_cast<uint32_t>(weights.size()));
  }

  size_t bytes() const { return weights.size() * (1 + sizeof(Gap)); }
};

template <typename Gap>
Columns<Gap> columns_of(const SharedArray<int64_t>& ends, const SharedArray<int32_t>& classifiers,
                        const SharedArray<float>& weights, const std::vector<float>& scales) {
  Columns<Gap> columns;
  for (size_t feature = 0; feature + 1 < ends.size(); ++feature) {
    int64_t before = -1;
    for (int64_t i = ends[feature]; i < ends[feature + 1]; ++i) {
      const int32_t classifier = classifiers[i];
      if (weights[i] == 0) continue;
      const auto weight = static_cast<int8_t>(std::nearbyint(weights[i] / scales[classifier]));
      if (weight == 0) continue;
      columns.add(classifier - before, weight);
      before = classifier;
    }
    columns.end_column();
  }
  return columns;
}

}  // namespace

CompactColumns::CompactColumns(SharedArray<uint32_t> ends, Gaps gaps, SharedArray<int8_t> weights,
                               SharedArray<float> scales)
    : ends_(std::move(ends)), gaps_(std::move(gaps)), weights_(std::move(weights)), scales_(std::move(scales)) {}

CompactColumns CompactColumns::rounded(const SharedArray<int64_t>& ends, const SharedArray<int32_t>& classifiers,
                                       const SharedArray<float>& weights, size_t classifier_count) {
  std::vector<float> scales = scales_of(classifiers, weights, classifier_count);
  auto narrow = columns_of<uint8_t>(ends, classifiers, weights, scales);
  auto wide = columns_of<uint16_t>(ends, classifiers, weights, scales);
  const auto made = [&](auto& columns) {
    return CompactColumns(std::move(columns.ends), SharedArray(std::move(columns.gaps)), std::move(columns.weights),
                          std::move(scales));
  };
  return narrow.bytes() <= wide.bytes() ? made(narrow) : made(wide);
}

bool CompactColumns::is_sound() const {
  return std::visit(
      [&](const auto& gaps) {
        for (size_t feature = 0; feature + 1 < ends_.size(); ++feature) {
          int64_t classifier = -1;
          for (uint32_t i = ends_[feature]; i < ends_[feature + 1]; ++i) {
            if (gaps[i] == 0) return false;
            classifier += gaps[i];
          }
          if (classifier >= static_cast<int64_t>(scales_.size())) return false;
        }
        return true;
      },
      gaps_);
}

std::vector<float> CompactColumns::margins(const std::vector<Feature>& row, const SharedArray<float>& bias) const {
  std::vector<float> margins(bias.size() + 1);  // [0]: before the first
  std::visit(
      [&](const auto& gaps) {
        for (const Feature& feature : row) {
          float* margin = margins.data();
          for (uint32_t i = ends_[feature.number]; i < ends_[feature.number + 1]; ++i) {
            margin += gaps[i];
            *margin += feature.value * static_cast<float>(weights_[i]);
          }
        }
      },
      gaps_);
  margins.erase(margins.begin());
  for (size_t i = 0; i < margins.size(); ++i) margins[i] = margins[i] * scales_[i] + bias[i];
  return margins;
}

float CompactColumns::weight(int32_t feature, int32_t classifier) const {
  return std::visit(
      [&](const auto& gaps) {
        int64_t at = -1;
        for (uint32_t i = ends_[feature]; i < ends_[feature + 1]; ++i) {
          at += gaps[i];
          if (at == classifier) return scales_[classifier] * static_cast<float>(weights_[i]);
        }
        return 0.0F;
      },
      gaps_);
}

}  // namespace otseq2set::inline linear
