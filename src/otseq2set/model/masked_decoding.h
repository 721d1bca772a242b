// SGM's masked decoding: a label already produced gets a logit that never wins.
// End mark and empty label may come again.
#pragma once

#include <torch/torch.h>

#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline model {

class ProducedLabels {
 public:
  // options: of the logits.
  ProducedLabels(int64_t batch, int64_t label_ids, const torch::TensorOptions& options)
      : produced_(torch::zeros({batch, label_ids}, options.dtype(torch::kBool).requires_grad(false))) {}

  // logits: [batch, label ids].
  torch::Tensor mask(const torch::Tensor& logits) const { return logits.masked_fill(produced_, -1e7); }

  // ids: [batch] int64, of the step just made.
  void add(const torch::Tensor& ids) {
    produced_.scatter_(1, ids.unsqueeze(1), true);
    produced_.select(1, kEndLabel).fill_(false);
    produced_.select(1, kEmptyLabel).fill_(false);
  }

 private:
  torch::Tensor produced_;  // [batch, label ids] bool
};

}  // namespace otseq2set::inline model
