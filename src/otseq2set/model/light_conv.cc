#include "otseq2set/model/light_conv.h"

namespace otseq2set {

LightConvLayerImpl::LightConvLayerImpl(int64_t channels, int64_t heads, int64_t kernel, int64_t stride)
    : channels_(channels),
      stride_(stride),
      weight_(register_parameter("weight", torch::zeros({heads, 1, kernel}))) {}

torch::Tensor LightConvLayerImpl::forward(const torch::Tensor& x) {
  torch::Tensor kernels = weight_.softmax(2);  // [heads, 1, kernel]
  if (kernels.size(0) != channels_) {
    const torch::Tensor channel = torch::arange(channels_, torch::TensorOptions(torch::kInt64).device(x.device()));
    kernels = kernels.index_select(0, channel.remainder(kernels.size(0)));
  }
  return torch::relu(torch::conv1d(x, kernels, /*bias=*/torch::Tensor(), stride_, torch::IntArrayRef(0), /*dilation=*/1, channels_));
}

LightConvImpl::LightConvImpl(int64_t channels, const LightConvConfig& config)
    : field_(receptive_field(config)), last_stride_(config.last_stride) {
  const int64_t heads = config.heads == 0 ? channels : config.heads;
  for (size_t i = 0; i < config.kernels.size(); ++i) {
    const int64_t stride = i + 1 == config.kernels.size() ? config.last_stride : 1;
    layers_.emplace_back(channels, heads, config.kernels[i], stride);
    // The authors' code wraps each layer, hence parameter names such as dl_conv.0.0.weight.
    register_module(std::to_string(i), torch::nn::Sequential(layers_.back()));
  }
}

torch::Tensor LightConvImpl::forward(const torch::Tensor& states) {
  torch::Tensor x = states.transpose(1, 2);
  for (LightConvLayer& layer : layers_) x = layer(x);
  return x.transpose(1, 2);
}

torch::Tensor LightConvImpl::output_lengths(const torch::Tensor& lengths) const {
  return (lengths - field_).div(last_stride_, "floor") + 1;
}

}  // namespace otseq2set
