// The training documents that are most like a text, and the labels that they have.
//
//   similarity   of two texts: the product of their TF-IDF rows over words, each scaled to length 1. Words that one
//                document alone has, or that more than 30 % have, do not count.
//   vote         for a label: the squared similarities of the 30 nearest documents that have it, over those of all 30
//
// A classifier needs many examples of its label. Where most labels have few, one document that is alike says more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/core/safetensors.h"
#include "otseq2set/core/span.h"
#include "otseq2set/corpus/dataset.h"
#include "otseq2set/linear/ngram_features.h"
#include "otseq2set/linear/weight_columns.h"

namespace otseq2set::inline linear {

struct LabelVote {
  int32_t label;
  float share;  // 0 .. 1
};

struct Votes {
  float nearest = 0;              // similarity of the nearest document
  std::vector<LabelVote> labels;  // that have any, ascending
};

class NearestDocuments {
 public:
  static NearestDocuments from_documents(const Dataset& documents, const NgramFeatures& features);

  // documents: for each word those that have it. The labels of document i are [ends[i], ends[i + 1]).
  NearestDocuments(const NgramFeatures& features, WeightColumns documents, SharedArray<int64_t> ends,
                   SharedArray<int32_t> labels);

  // The same with similarities rounded to bytes.
  NearestDocuments quantised() const { return {words_, documents_.quantised(), ends_, labels_}; }

  size_t documents() const { return documents_.classifiers(); }
  const WeightColumns& columns() const { return documents_; }
  const SharedArray<int64_t>& ends() const { return ends_; }
  const SharedArray<int32_t>& labels() const { return labels_; }

  Votes votes(Span<const int32_t> words) const;

 private:
  NgramFeatures words_;  // without pairs
  WeightColumns documents_;
  SharedArray<int64_t> ends_;
  SharedArray<int32_t> labels_;
};

}  // namespace otseq2set::inline linear
