// Fused CPU kernels or their plain ATen twins?
// The twins serve on other devices, and everywhere in comparisons.
#pragma once

#include <torch/torch.h>

namespace otseq2set::inline autograd {

// Makes every operation use its plain twin from now on (or no longer), in all threads.
void use_plain_kernels(bool plain);

// Whether an operation on this tensor has a fused kernel that shall be used: float32 or float64 on the CPU.
bool use_fused_kernel(const torch::Tensor& tensor);

}  // namespace otseq2set::inline autograd
