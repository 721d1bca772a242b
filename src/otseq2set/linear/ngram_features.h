// A text as a linear model sees it: which words and which pairs of neighbouring words it has, in no order.
//
//   value of feature f   (1 + log occurrences in the text) * idf_f, then the row is scaled to length 1
//   idf_f                1 + log((1 + documents) / (1 + documents with f))
//
// as scikit-learn's TfidfVectorizer(sublinear_tf=True) has it. Features are numbered: first the words of the vocabulary
// in its order, then the pairs. An unknown word is no feature and ends a pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "otseq2set/core/span.h"
#include "otseq2set/corpus/dataset.h"
#include "otseq2set/linear/feature_rows.h"
#include "otseq2set/linear/shared_array.h"

namespace otseq2set::inline linear {

class NgramFeatures {
 public:
  // pairs: ascending keys, see pair_key; idf: one a word and one a pair.
  NgramFeatures(SharedArray<uint64_t> pairs, SharedArray<float> idf);

  // Of the pairs those that at least `least_documents` have; none when it is 0. word_ids: the vocabulary's, with the special ones.
  static NgramFeatures from_documents(const Dataset& documents, size_t word_ids, size_t least_documents);

  size_t size() const { return idf_.size(); }
  size_t words() const { return idf_.size() - pairs_.size(); }
  const SharedArray<uint64_t>& pairs() const { return pairs_; }
  const SharedArray<float>& idf() const { return idf_; }

  // Ascending; empty for a text without known words.
  std::vector<Feature> row(Span<const int32_t> words) const;
  FeatureRows rows(const Dataset& documents) const;

  // The feature of one word, or of two neighbours; -1 if they are none.
  int32_t word_feature(int32_t word) const;
  int32_t pair_feature(int32_t first, int32_t second) const;

 private:
  SharedArray<uint64_t> pairs_;
  SharedArray<float> idf_;
};

}  // namespace otseq2set::inline linear
