// Semantic optimal transport distance (paper, eq. 14-16): how far are the steps' predictions from the labels
// in the space of label vectors?
//
//   C[i, j] = 1 - x.y / max(|x||y|, 1e-8),   x = E^T P_i,   y = E_{y_j};   L_ot = sum of plan * C
//
// E is detached and the plan (loss/ipot.h) is a constant: the gradient goes through P alone. This file gives
// the sum over documents; whoever adds up a batch divides by the number of all its documents.
#pragma once

#include <torch/torch.h>

#include "otseq2set/loss/matching_loss.h"

namespace otseq2set::inline loss {

// expected: x [batch, steps, width]; label_vectors: E [label ids, width].
// A document without labels adds zero.
torch::Tensor transport_loss_sum(const torch::Tensor& expected, const torch::Tensor& label_vectors,
                                 const LabelSets& labels);

}  // namespace otseq2set::inline loss
