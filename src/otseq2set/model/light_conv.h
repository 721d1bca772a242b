// Lightweight convolution (paper, "Attention with lightweight convolution"; Wu et al. 2019): from word states
// to fewer, "label" level states.
//
//   layer(x)[i, c] = relu(sum_k softmax(w[c mod heads])[k] * x[i * stride + k, c])
//
// No padding: a layer shortens the document by kernel - 1, and the last layer also strides. States whose
// window reaches behind a document's own words are zero and without gradient.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "otseq2set/config/config.h"

namespace otseq2set::inline model {

class LightConvLayerImpl : public torch::nn::Module {
 public:
  // heads: kernels shared by the channels, at most as many as those.
  LightConvLayerImpl(int64_t heads, int64_t kernel, int64_t stride);

  // x: [batch, words, channels]; lengths: [batch], on the CPU
  //   -> [batch, (words - kernel) / stride + 1, channels]
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& lengths);

  // [batch] -> [batch]
  torch::Tensor output_lengths(const torch::Tensor& lengths) const;

 private:
  int64_t stride_;
  torch::Tensor weight_;  // [heads, 1, kernel]
};
TORCH_MODULE(LightConvLayer);

class LightConvImpl : public torch::nn::Module {
 public:
  LightConvImpl(int64_t channels, const LightConvConfig& config);

  // states: [batch, words, channels]; lengths: [batch], on the CPU -> [batch, positions, channels]
  torch::Tensor forward(const torch::Tensor& states, const torch::Tensor& lengths);

  // Positions whose window lies wholly inside a document of that length.
  torch::Tensor output_lengths(torch::Tensor lengths) const;

 private:
  std::vector<LightConvLayer> layers_;
};
TORCH_MODULE(LightConv);

}  // namespace otseq2set::inline model
