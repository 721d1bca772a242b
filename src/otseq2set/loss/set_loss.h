// The loss of OTSeq2Set (paper, eq. 17): L = L_b + lambda * L_ot.
//
// A batch is computed in parts; a part's terms are sums that are already divided by the whole batch's counts,
// so that the parts' losses and gradients simply add up.
#pragma once

#include <torch/torch.h>

#include "otseq2set/autograd/label_softmax.h"
#include "otseq2set/config/config.h"
#include "otseq2set/loss/batch_loss.h"
#include "otseq2set/loss/matching_loss.h"

namespace otseq2set::inline loss {

// What a sum over a whole batch is divided by.
struct SetLossCounts {
  double weight = 0;     // of all steps, for the matching term
  double documents = 0;  // for the transport term
};
SetLossCounts set_loss_counts(const LabelSets& labels, int64_t steps, const LossConfig& config);

struct SetLoss {
  torch::Tensor total;    // with gradient
  double matching = 0;    // this part's share of L_b
  double transport = 0;   // this part's share of L_ot
  torch::Tensor targets;  // the id asked of each step [batch, steps] int64
};

// logits: [batch, steps, label ids]; counts: of the whole batch. Without `transport`, L_ot is neither
// computed nor added.
SetLoss set_loss(const torch::Tensor& logits, const torch::Tensor& label_vectors, const LabelSets& labels,
                 const SetLossCounts& counts, const LossConfig& config, bool transport);

// The same without autograd, for a whole batch whose logits stand in `softmax`, row t * batch + i being step
// t of document i. The softmax is normalised on return.
BatchLoss set_loss(LabelSoftmax& softmax, const torch::Tensor& label_vectors, const LabelSets& labels,
                   const LossConfig& config, bool transport);

}  // namespace otseq2set::inline loss
