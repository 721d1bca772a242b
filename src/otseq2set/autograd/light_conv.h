// One layer of LightConv (paper, "Attention with lightweight convolution"; Wu et al. 2019),
// on channels-last states.
//
//   y[b, i, c] = relu(sum_k softmax(weight[c mod heads])[k] * x[b, i * stride + k, c])
//
// Words from lengths[b] on are no part of document b: an output whose window reaches there is zero, whatever
// stands there takes no part in any sum, and its gradient is zero. Single-threaded; first derivatives only.
#pragma once

#include <torch/torch.h>

namespace otseq2set::inline autograd {

// x: [batch, words, channels]; weight: [heads, 1, kernel] with heads <= channels and kernel <= words;
// lengths: [batch], int64 on the CPU, each at most `words`
//   -> [batch, (words - kernel) / stride + 1, channels]
torch::Tensor light_conv_layer(const torch::Tensor& x, const torch::Tensor& weight, int64_t stride,
                               const torch::Tensor& lengths);
torch::Tensor light_conv_layer_plain(const torch::Tensor& x, const torch::Tensor& weight, int64_t stride,
                                     const torch::Tensor& lengths);

// Outputs whose window lies wholly inside a document of that length: [batch] -> [batch], int64 on the CPU.
torch::Tensor light_conv_lengths(const torch::Tensor& lengths, int64_t kernel, int64_t stride);

}  // namespace otseq2set::inline autograd
