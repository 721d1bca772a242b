// The loss of the sequence models: cross entropy over labels in an order, followed by an end mark.
//
//   L = mean over all targets of the batch of -log P_t[target_t]
//
// Trained with teacher forcing: step 0 reads the start label, step t + 1 the target of step t. The number of
// steps is that of the longest sequence; decoding steps do not bound it.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "otseq2set/loss/batch_loss.h"

namespace otseq2set::inline loss {

// Label ids of each document in the order to learn.
using LabelSequences = std::vector<std::vector<int64_t>>;

struct SequenceTargets {
  torch::Tensor read;   // [batch, steps] int64
  torch::Tensor asked;  // [batch, steps] int64, the empty label behind a sequence's end
  double count = 0;     // targets of all documents: labels and end marks
};
SequenceTargets sequence_targets(const LabelSequences& labels);

// logits: [batch, steps, label ids].
// The sum over these documents, divided by `count`, that of the whole batch.
torch::Tensor sequence_loss(const torch::Tensor& logits, const SequenceTargets& targets, double count);

// The same without autograd, for a whole batch whose logits stand in `softmax`: a row for each target, step
// by step and in each step document by document. The softmax is normalised on return.
BatchLoss sequence_loss(LabelSoftmax& softmax, const SequenceTargets& targets);

}  // namespace otseq2set::inline loss
