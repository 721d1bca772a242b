// Lightweight convolution (paper, "Attention with lightweight convolution"; Wu et al. 2019): from word states to
// fewer, "label" level states.
//
//   layer(x)[c, i] = relu(sum_k softmax(w[c mod heads])[k] * x[c, i * stride + k])
//
// No padding: a layer shortens the document by kernel - 1, and the last layer also strides.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "otseq2set/config/config.h"

namespace otseq2set {

class LightConvLayerImpl : public torch::nn::Module {
 public:
  // heads: kernels shared by the channels, at most `channels`.
  LightConvLayerImpl(int64_t channels, int64_t heads, int64_t kernel, int64_t stride);

  // [batch, channels, words] -> [batch, channels, (words - kernel) / stride + 1]
  torch::Tensor forward(const torch::Tensor& x);

 private:
  int64_t channels_;
  int64_t stride_;
  torch::Tensor weight_;  // [heads, 1, kernel]
};
TORCH_MODULE(LightConvLayer);

class LightConvImpl : public torch::nn::Module {
 public:
  LightConvImpl(int64_t channels, const LightConvConfig& config);

  // [batch, words, channels] -> [batch, positions, channels]
  torch::Tensor forward(const torch::Tensor& states);

  // Positions whose window lies wholly inside a document of that length; lengths are at least the receptive field.
  torch::Tensor output_lengths(const torch::Tensor& lengths) const;

 private:
  int64_t field_;
  int64_t last_stride_;
  std::vector<LightConvLayer> layers_;
};
TORCH_MODULE(LightConv);

}  // namespace otseq2set
