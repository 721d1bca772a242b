#include "otseq2set/linear/nearest_documents.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace otseq2set::inline linear {

namespace {

constexpr size_t kNearest = 30;
constexpr double kTooFrequent = 0.3;  // share of the documents

// Scaled to length 1, of those features alone that `counts`.
template <typename Counts>
std::vector<Feature> scaled(std::vector<Feature> row, const Counts& counts) {
  row.erase(std::remove_if(row.begin(), row.end(), [&](const Feature& feature) { return !counts(feature.number); }),
            row.end());
  double squares = 0;
  for (const Feature& feature : row) squares += double{feature.value} * feature.value;
  for (Feature& feature : row) feature.value = static_cast<float>(feature.value / std::sqrt(squares));
  return row;
}

}  // namespace

NearestDocuments::NearestDocuments(const NgramFeatures& features, WeightColumns documents, SharedArray<int64_t> ends,
                                   SharedArray<int32_t> labels)
    : words_({}, features.idf().first(features.words())),
      documents_(std::move(documents)),
      ends_(std::move(ends)),
      labels_(std::move(labels)) {}

NearestDocuments NearestDocuments::from_documents(const Dataset& documents, const NgramFeatures& features) {
  const NgramFeatures words({}, features.idf().first(features.words()));
  const FeatureRows rows = words.rows(documents);
  std::vector<size_t> with(words.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    for (int64_t j = 0; j < rows[i].size; ++j) ++with[rows[i].features[j]];
  }
  const double most = kTooFrequent * static_cast<double>(rows.size());
  const auto counts = [&](int32_t word) { return with[word] > 1 && static_cast<double>(with[word]) <= most; };

  std::vector<ClassifierWeight> entries;
  std::vector<int64_t> ends = {0};
  std::vector<int32_t> labels;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<Feature> row;
    for (int64_t j = 0; j < rows[i].size; ++j) row.push_back({rows[i].features[j], rows[i].values[j]});
    for (const Feature& feature : scaled(std::move(row), counts)) {
      entries.push_back({feature.number, static_cast<int32_t>(i), feature.value});
    }
    for (const int32_t label : documents.labels(i)) {
      if (static_cast<size_t>(label) < documents.known_labels()) labels.push_back(label);
    }
    ends.push_back(static_cast<int64_t>(labels.size()));
  }
  return {features, WeightColumns(entries, std::vector<float>(rows.size()), words.size()), std::move(ends),
          std::move(labels)};
}

Votes NearestDocuments::votes(Span<const int32_t> words) const {
  const auto is_used = [&](int32_t word) { return documents_.is_used(word); };
  const std::vector<float> similarities = documents_.margins(scaled(words_.row(words), is_used));
  std::vector<int32_t> order;
  for (size_t i = 0; i < similarities.size(); ++i) {
    if (similarities[i] > 0) order.push_back(static_cast<int32_t>(i));
  }
  const size_t nearest = std::min(kNearest, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(nearest), order.end(),
                    [&](int32_t a, int32_t b) {
                      return similarities[a] != similarities[b] ? similarities[a] > similarities[b] : a < b;
                    });
  double all = 0;
  std::map<int32_t, double> of_label;
  for (size_t i = 0; i < nearest; ++i) {
    const double square = double{similarities[order[i]]} * similarities[order[i]];
    all += square;
    for (int64_t j = ends_[order[i]]; j < ends_[order[i] + 1]; ++j) of_label[labels_[j]] += square;
  }
  Votes votes;
  if (nearest > 0) votes.nearest = similarities[order[0]];
  for (const auto& [label, sum] : of_label) votes.labels.push_back({label, static_cast<float>(sum / all)});
  return votes;
}

}  // namespace otseq2set::inline linear
