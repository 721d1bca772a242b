// Documents as sparse rows of features, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "otseq2set/kernels/label_lanes.h"

namespace otseq2set::inline linear {

struct Feature {
  int32_t number;
  float value;
};

class FeatureRows {
 public:
  void add(const std::vector<Feature>& row) {
    for (const Feature& feature : row) {
      features_.push_back(feature.number);
      values_.push_back(feature.value);
    }
    ends_.push_back(features_.size());
  }

  size_t size() const { return ends_.size() - 1; }
  SparseRow operator[](size_t i) const {
    return {features_.data() + ends_[i], values_.data() + ends_[i], static_cast<int64_t>(ends_[i + 1] - ends_[i])};
  }

 private:
  std::vector<int32_t> features_;
  std::vector<float> values_;
  std::vector<size_t> ends_ = {0};  // row i is [ends_[i], ends_[i + 1])
};

}  // namespace otseq2set::inline linear
