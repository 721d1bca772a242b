#include "otseq2set/model/light_conv.h"

#include "otseq2set/autograd/light_conv.h"

namespace otseq2set::inline model {

LightConvLayerImpl::LightConvLayerImpl(int64_t heads, int64_t kernel, int64_t stride)
    : stride_(stride), weight_(register_parameter("weight", torch::zeros({heads, 1, kernel}))) {}

torch::Tensor LightConvLayerImpl::forward(const torch::Tensor& x, const torch::Tensor& lengths) {
  return light_conv_layer(x, weight_, stride_, lengths);
}

torch::Tensor LightConvLayerImpl::output_lengths(const torch::Tensor& lengths) const {
  return light_conv_lengths(lengths, weight_.size(2), stride_);
}

LightConvImpl::LightConvImpl(int64_t channels, const LightConvConfig& config) {
  const int64_t heads = config.heads == 0 ? channels : config.heads;
  for (size_t i = 0; i < config.kernels.size(); ++i) {
    const int64_t stride = i + 1 == config.kernels.size() ? config.last_stride : 1;
    layers_.emplace_back(heads, config.kernels[i], stride);
    // The authors' code wraps each layer, hence parameter names such as dl_conv.0.0.weight.
    register_module(std::to_string(i), torch::nn::Sequential(layers_.back()));
  }
}

torch::Tensor LightConvImpl::forward(const torch::Tensor& states, const torch::Tensor& lengths) {
  torch::Tensor x = states, inside = lengths;
  for (LightConvLayer& layer : layers_) {
    x = layer(x, inside);
    inside = layer->output_lengths(inside);
  }
  return x;
}

torch::Tensor LightConvImpl::output_lengths(torch::Tensor lengths) const {
  for (const LightConvLayer& layer : layers_) lengths = layer->output_lengths(lengths);
  return lengths;
}

}  // namespace otseq2set::inline model
