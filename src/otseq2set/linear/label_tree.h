// Labels in a balanced tree. Where there are very many, the classifier of a label learns from the documents of its likes,
// which are the ones it could be taken for, not from all: the tree says which these are. It is used in training alone.
//
// Labels are alike if their documents are: a node is halved by spherical 2-means over the sums of its labels' documents,
// again and again, until its leaves are small. Of the halvings only some levels are kept, so that the tree stays flat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "otseq2set/linear/feature_rows.h"

namespace otseq2set::inline linear {

// From the root's children down to the leaves: level[i] is the parent of node i in the level above, 0 in the first. Labels
// are the last level.
using LabelTree = std::vector<std::vector<int32_t>>;

// documents: [labels] rows that have the label. Up to `flat` labels are one level without clusters.
LabelTree grow_label_tree(const FeatureRows& rows, size_t features, const std::vector<std::vector<uint32_t>>& documents,
                          size_t flat, uint64_t seed);

}  // namespace otseq2set::inline linear
