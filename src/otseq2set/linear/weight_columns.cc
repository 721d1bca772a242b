#include "otseq2set/linear/weight_columns.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace otseq2set::inline linear {

WeightColumns::WeightColumns(std::vector<int64_t> ends, std::vector<int32_t> classifiers, std::vector<float> weights,
                             std::vector<float> bias)
    : ends_(std::move(ends)),
      classifiers_(std::move(classifiers)),
      weights_(std::move(weights)),
      bias_(std::move(bias)) {}

WeightColumns::WeightColumns(const std::vector<ClassifierWeight>& weights, std::vector<float> bias, size_t features)
    : ends_(features + 1), classifiers_(weights.size()), weights_(weights.size()), bias_(std::move(bias)) {
  // Ordered by classifier first, then stably by feature.
  std::vector<int64_t> of_classifier(bias_.size() + 1);
  for (const ClassifierWeight& one : weights) ++of_classifier[one.classifier + 1], ++ends_[one.feature + 1];
  std::partial_sum(of_classifier.begin(), of_classifier.end(), of_classifier.begin());
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  std::vector<int64_t> order(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) order[of_classifier[weights[i].classifier]++] = static_cast<int64_t>(i);
  std::vector<int64_t> next(ends_.begin(), ends_.end() - 1);
  for (const int64_t i : order) {
    const int64_t place = next[weights[i].feature]++;
    classifiers_[place] = weights[i].classifier;
    weights_[place] = weights[i].weight;
  }
}

std::vector<float> WeightColumns::margins(const std::vector<Feature>& row) const {
  std::vector<float> margins = bias_;
  for (const Feature& feature : row) {
    for (int64_t i = ends_[feature.number]; i < ends_[feature.number + 1]; ++i) {
      margins[classifiers_[i]] += feature.value * weights_[i];
    }
  }
  return margins;
}

float WeightColumns::weight(int32_t feature, int32_t classifier) const {
  const auto begin = classifiers_.begin() + ends_[feature], end = classifiers_.begin() + ends_[feature + 1];
  const auto place = std::lower_bound(begin, end, classifier);
  return place != end && *place == classifier ? weights_[place - classifiers_.begin()] : 0;
}

}  // namespace otseq2set::inline linear
