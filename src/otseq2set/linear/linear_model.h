// One linear classifier a label over words and word pairs: what most people use instead of a network, and what a network
// gains most from being joined with.
//
// With very many labels the classifiers stand on a tree (label_tree.h), and a label's value counts those of its clusters
// too:
//
//   value = margin of the label - sum over its clusters of max(0, 1 - margin)^2
//
// Without a tree it is the margin itself, w.x + bias.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/core/span.h"
#include "otseq2set/linear/label_tree.h"
#include "otseq2set/linear/ngram_features.h"
#include "otseq2set/linear/weight_columns.h"

namespace otseq2set::inline linear {

// What a word, or two neighbouring words, add to the value of a label.
struct NgramShare {
  std::vector<size_t> places;  // of the first word of the n-gram in the document
  size_t words;                // 1 or 2
  float share;
};

class LinearModel {
 public:
  LinearModel(NgramFeatures features, WeightColumns weights, LabelTree tree);

  // An Error when the file does not belong to a model of so many words (with the special ids) and labels.
  static LinearModel load(const std::string& path, size_t word_ids, size_t labels);
  void save(const std::string& path) const;

  size_t labels() const { return tree_.back().size(); }
  size_t weights() const { return weights_.weights().size(); }
  size_t features() const { return features_.size(); }

  // Of all labels.
  std::vector<float> values(Span<const int32_t> words) const;
  // Of the margin, exactly: with the bias they sum to it. By share, largest first; ties by place.
  std::vector<NgramShare> shares(Span<const int32_t> words, int32_t label) const;

 private:
  NgramFeatures features_;
  WeightColumns weights_;  // of the tree's nodes, level by level, the labels last
  LabelTree tree_;
};

}  // namespace otseq2set::inline linear
