// The weights of many linear classifiers, sparse: for each feature those classifiers that have a weight for it. A
// document has few features, so all classifiers are evaluated by adding up few columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "otseq2set/linear/compact_columns.h"
#include "otseq2set/linear/feature_rows.h"
#include "otseq2set/linear/shared_array.h"

namespace otseq2set::inline linear {

struct ClassifierWeight {
  int32_t feature;
  int32_t classifier;
  float weight;
};

class WeightColumns {
 public:
  WeightColumns() = default;
  // ends: [features + 1] from 0, column f is [ends[f], ends[f + 1]); in a column, classifiers ascend.
  WeightColumns(SharedArray<int64_t> ends, SharedArray<int32_t> classifiers, SharedArray<float> weights,
                SharedArray<float> bias);
  // In any order; no pair of feature and classifier twice.
  WeightColumns(const std::vector<ClassifierWeight>& weights, std::vector<float> bias, size_t features);

  // Those of a quantised model.
  WeightColumns(CompactColumns compact, SharedArray<float> bias);

  // Null if weights are float32; otherwise ends, classifiers and weights below are empty.
  const CompactColumns* compact() const { return compact_.get(); }
  // The same, rounded to bytes.
  WeightColumns quantised() const;

  size_t classifiers() const { return bias_.size(); }
  bool is_used(int32_t feature) const;  // some classifier has a weight for it
  const SharedArray<int64_t>& ends() const { return ends_; }
  const SharedArray<int32_t>& classifier() const { return classifiers_; }  // of each weight
  const SharedArray<float>& weights() const { return weights_; }
  const SharedArray<float>& bias() const { return bias_; }

  // Of all classifiers: w.x + bias.
  std::vector<float> margins(const std::vector<Feature>& row) const;
  // 0 where there is none.
  float weight(int32_t feature, int32_t classifier) const;

 private:
  SharedArray<int64_t> ends_ = std::vector<int64_t>{0};
  SharedArray<int32_t> classifiers_;
  SharedArray<float> weights_;
  SharedArray<float> bias_;
  std::shared_ptr<const CompactColumns> compact_;
};

}  // namespace otseq2set::inline linear
