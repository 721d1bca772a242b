// A linear classifier for each label, against the documents that do not have it:
//
//   min over w   1/2 |w|^2 + C sum over documents of max(0, 1 - y w.x)^2,   y = 1 with the label, -1 without
//
// where x ends with a constant 1, whose weight is the bias. It is LIBLINEAR's problem (solver 1, -B 1), solved as there
// by dual coordinate descent (Hsieh et al. 2008), but for sixteen labels at a time: they go through the documents in
// the same order and look each feature up once. The order comes from a random stream, so the result depends on the data
// and the seed alone, not on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "otseq2set/linear/feature_rows.h"
#include "otseq2set/linear/weight_columns.h"

namespace otseq2set::inline linear {

struct OneVsRestOptions {
  double c = 1;
  double tolerance = 0.1;     // largest violation of the optimality conditions, in units of the margin
  int64_t most_epochs = 100;  // passes over the documents
  double prune = 0;           // weights that are smaller are left out
  uint64_t seed = 1;
};

struct GroupWeights {
  std::vector<ClassifierWeight> weights;  // classifiers are numbered as the group's labels are; no bias among them
  std::vector<float> bias;                // [labels of the group]
};

// For up to kLabelLanes labels. positives: [labels of the group] rows with the label.
GroupWeights train_group(const FeatureRows& rows, size_t features, const std::vector<std::vector<uint32_t>>& positives,
                         const OneVsRestOptions& options);

}  // namespace otseq2set::inline linear
