// A linear layer whose result is known already: only its gradient is still to be computed.
//
// Student forcing computes the logits of each step to choose its label; this spares computing them once more
// for all steps together when the loss asks for gradients.
#pragma once

#include <torch/torch.h>

namespace otseq2set::inline autograd {

// in: [..., k]; weight: [n, k]; bias: [n]; result: in weight^T + bias [..., n], returned as it is.
torch::Tensor linear_with_result(const torch::Tensor& in, const torch::Tensor& weight, const torch::Tensor& bias,
                                 const torch::Tensor& result);

}  // namespace otseq2set::inline autograd
