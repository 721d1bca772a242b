// One linear classifier a label over words and word pairs: what most people use instead of a network, and what a network
// gains most from being joined with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "otseq2set/core/safetensors.h"
#include "otseq2set/core/span.h"
#include "otseq2set/linear/nearest_documents.h"
#include "otseq2set/linear/ngram_features.h"
#include "otseq2set/linear/weight_columns.h"

namespace otseq2set::inline linear {

// What a word, or two neighbouring words, add to the margin of a label.
struct NgramShare {
  std::vector<size_t> places;  // of the first word of the n-gram in the document
  size_t words;                // 1 or 2
  float share;
};

class LinearModel {
 public:
  LinearModel(NgramFeatures features, WeightColumns weights, std::optional<NearestDocuments> nearest = std::nullopt);

  // An Error when the file does not belong to a model of so many words (with the special ids) and labels.
  static LinearModel load(const std::string& path, size_t word_ids, size_t labels, SafetensorsLimits limits = {});
  void save(const FilePlace& place) const;

  // The same with the documents that it was trained on.
  LinearModel with(NearestDocuments nearest) const { return {features_, weights_, std::move(nearest)}; }

  // The same with weights rounded to bytes.
  LinearModel quantised() const;

  size_t labels() const { return weights_.classifiers(); }
  size_t weights() const { return weights_.weights().size(); }
  const NgramFeatures& features() const { return features_; }
  const std::optional<NearestDocuments>& nearest() const { return nearest_; }

  // Of all labels: w.x + bias.
  std::vector<float> margins(Span<const int32_t> words) const { return weights_.margins(features_.row(words)); }
  // Of the margin, exactly: with the bias they sum to it. By share, largest first; ties by feature.
  std::vector<NgramShare> shares(Span<const int32_t> words, int32_t label) const;
  // The same for several labels, and of each the `most` largest: a long text is gone through once.
  std::vector<std::vector<NgramShare>> shares(Span<const int32_t> words, const std::vector<int32_t>& labels,
                                              size_t most) const;

 private:
  NgramFeatures features_;
  WeightColumns weights_;
  std::optional<NearestDocuments> nearest_;
};

}  // namespace otseq2set::inline linear
