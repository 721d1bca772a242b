// The columns of weight_columns.h as a quantised model has them, two bytes a weight: the weight as a byte, with a scale
// for each classifier, and how many classifiers further than the one before it stands.
//
// A gap that is too wide for its type is bridged by weights of 0 on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "otseq2set/linear/feature_rows.h"
#include "otseq2set/linear/shared_array.h"

namespace otseq2set::inline linear {

class CompactColumns {
 public:
  // From classifier to classifier, the first of a column from -1; 16 bits where that is smaller in all.
  using Gaps = std::variant<SharedArray<uint8_t>, SharedArray<uint16_t>>;

  // ends: [features + 1] from 0, column f is [ends[f], ends[f + 1]); scales: of the classifiers.
  CompactColumns(SharedArray<uint32_t> ends, Gaps gaps, SharedArray<int8_t> weights, SharedArray<float> scales);

  // An Error for 2^32 weights or more.
  static CompactColumns rounded(const SharedArray<int64_t>& ends, const SharedArray<int32_t>& classifiers,
                                const SharedArray<float>& weights, size_t classifier_count);

  const SharedArray<uint32_t>& ends() const { return ends_; }
  const Gaps& gaps() const { return gaps_; }
  const SharedArray<int8_t>& weights() const { return weights_; }
  const SharedArray<float>& scales() const { return scales_; }

  // Every column stays below the number of classifiers.
  bool is_sound() const;

  bool is_used(int32_t feature) const { return ends_[feature] < ends_[feature + 1]; }
  std::vector<float> margins(const std::vector<Feature>& row, const SharedArray<float>& bias) const;
  float weight(int32_t feature, int32_t classifier) const;

 private:
  SharedArray<uint32_t> ends_;
  Gaps gaps_;
  SharedArray<int8_t> weights_;
  SharedArray<float> scales_;
};

}  // namespace otseq2set::inline linear
