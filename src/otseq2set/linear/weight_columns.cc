#include "otseq2set/linear/weight_columns.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace otseq2set::inline linear {

WeightColumns::WeightColumns(SharedArray<int64_t> ends, SharedArray<int32_t> classifiers, SharedArray<float> weights,
                             SharedArray<float> bias)
    : ends_(std::move(ends)),
      classifiers_(std::move(classifiers)),
      weights_(std::move(weights)),
      bias_(std::move(bias)) {}

WeightColumns::WeightColumns(const std::vector<ClassifierWeight>& weights, std::vector<float> bias, size_t features) {
  // Ordered by classifier first, then stably by feature.
  std::vector<int64_t> of_classifier(bias.size() + 1), ends(features + 1);
  for (const ClassifierWeight& one : weights) ++of_classifier[one.classifier + 1], ++ends[one.feature + 1];
  std::partial_sum(of_classifier.begin(), of_classifier.end(), of_classifier.begin());
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<int64_t> order(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) order[of_classifier[weights[i].classifier]++] = static_cast<int64_t>(i);
  std::vector<int64_t> next(ends.begin(), ends.end() - 1);
  std::vector<int32_t> classifiers(weights.size());
  std::vector<float> values(weights.size());
  for (const int64_t i : order) {
    const int64_t place = next[weights[i].feature]++;
    classifiers[place] = weights[i].classifier;
    values[place] = weights[i].weight;
  }
  ends_ = std::move(ends);
  classifiers_ = std::move(classifiers);
  weights_ = std::move(values);
  bias_ = std::move(bias);
}

WeightColumns::WeightColumns(CompactColumns compact, SharedArray<float> bias)
    : bias_(std::move(bias)), compact_(std::make_shared<const CompactColumns>(std::move(compact))) {}

WeightColumns WeightColumns::quantised() const {
  if (compact_) return *this;
  return {CompactColumns::rounded(ends_, classifiers_, weights_, classifiers()), bias_};
}

bool WeightColumns::is_used(int32_t feature) const {
  return compact_ ? compact_->is_used(feature) : ends_[feature] < ends_[feature + 1];
}

std::vector<float> WeightColumns::margins(const std::vector<Feature>& row) const {
  if (compact_) return compact_->margins(row, bias_);
  std::vector<float> margins(bias_.begin(), bias_.end());
  for (const Feature& feature : row) {
    for (int64_t i = ends_[feature.number]; i < ends_[feature.number + 1]; ++i) {
      margins[classifiers_[i]] += feature.value * weights_[i];
    }
  }
  return margins;
}

float WeightColumns::weight(int32_t feature, int32_t classifier) const {
  if (compact_) return compact_->weight(feature, classifier);
  const auto begin = classifiers_.begin() + ends_[feature], end = classifiers_.begin() + ends_[feature + 1];
  const auto place = std::lower_bound(begin, end, classifier);
  return place != end && *place == classifier ? weights_[static_cast<size_t>(place - classifiers_.begin())] : 0;
}

}  // namespace otseq2set::inline linear
