// Documents of a batch are as long as the longest of them; what lies behind their own end must not count.
#pragma once

#include <torch/torch.h>

namespace otseq2set::inline autograd {

// [batch, rows] bool: true in the rows from `lengths` on. lengths: [batch] int64 on the CPU.
inline torch::Tensor padding_mask(int64_t rows, const torch::Tensor& lengths, torch::Device device) {
  return (torch::arange(rows, lengths.options()).unsqueeze(0) >= lengths.unsqueeze(1)).to(device);
}

}  // namespace otseq2set::inline autograd
