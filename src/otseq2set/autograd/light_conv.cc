#include "otseq2set/autograd/light_conv.h"

#include "otseq2set/autograd/choice.h"
#include "otseq2set/autograd/padding_mask.h"
#include "otseq2set/kernels/light_conv_arrays.h"

namespace otseq2set::inline autograd {

namespace {

using torch::Tensor;

void check(const Tensor& x, const Tensor& weight, int64_t stride, const Tensor& lengths) {
  TORCH_CHECK(x.dim() == 3 && weight.dim() == 3 && weight.size(1) == 1, "LightConv of ", x.sizes(), " with weights ",
              weight.sizes(), ": expected [batch, words, channels] and [heads, 1, kernel]");
  TORCH_CHECK(weight.size(0) >= 1 && weight.size(0) <= x.size(2), "LightConv with ", weight.size(0), " heads on ",
              x.size(2), " channels");
  TORCH_CHECK(weight.size(2) >= 1 && weight.size(2) <= x.size(1), "LightConv of width ", weight.size(2), " on ",
              x.size(1), " words");
  TORCH_CHECK(weight.scalar_type() == x.scalar_type(), "LightConv of ", x.scalar_type(), " with weights of ",
              weight.scalar_type());
  TORCH_CHECK(stride >= 1, "LightConv with stride ", stride);
  TORCH_CHECK(lengths.sizes() == torch::IntArrayRef{x.size(0)} && lengths.scalar_type() == torch::kInt64 &&
                  lengths.device().is_cpu(),
              "LightConv needs the length of each of ", x.size(0), " documents, int64 on the CPU");
  TORCH_CHECK(lengths.numel() == 0 || lengths.max().item<int64_t>() <= x.size(1), "LightConv of ", x.size(1),
              " words with a document of ", lengths.max().item<int64_t>());
}

LightConvShape shape_of(const Tensor& x, const Tensor& kernels, int64_t stride, const Tensor& lengths) {
  return {x.size(0), x.size(1), x.size(2), kernels.size(0), kernels.size(2), stride, lengths.data_ptr<int64_t>()};
}

// The layer without the softmax, which ATen does on its few values.
class LightConvFunction : public torch::autograd::Function<LightConvFunction> {
 public:
  // x: [batch, words, channels]; kernels: [heads, 1, kernel]
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& kernels,
                        const Tensor& lengths, int64_t stride) {
    const LightConvShape shape = shape_of(x, kernels, stride, lengths);
    Tensor y = torch::empty({shape.batch, shape.positions(), shape.channels}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "light_conv_forward", [&] {
      light_conv_forward(LightConvArrays<scalar_t>{shape, x.data_ptr<scalar_t>(), kernels.data_ptr<scalar_t>(),
                                                   y.data_ptr<scalar_t>()});
    });
    context->save_for_backward({x, kernels, lengths, y});
    context->saved_data["stride"] = stride;
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list output_gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &kernels = saved[1], &lengths = saved[2], &y = saved[3];
    const LightConvShape shape = shape_of(x, kernels, context->saved_data["stride"].toInt(), lengths);
    const Tensor y_gradient = output_gradients[0].contiguous();
    Tensor x_gradient, kernels_gradient;
    if (context->needs_input_grad(0)) x_gradient = torch::empty_like(x);
    if (context->needs_input_grad(1)) kernels_gradient = torch::empty_like(kernels);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "light_conv_backward", [&] {
      auto data = [](const Tensor& tensor) { return tensor.defined() ? tensor.data_ptr<scalar_t>() : nullptr; };
      light_conv_backward(LightConvBack<scalar_t>{shape, data(x), data(kernels), data(y), data(y_gradient),
                                                  data(x_gradient), data(kernels_gradient)});
    });
    return {x_gradient, kernels_gradient, Tensor(), Tensor()};
  }
};

}  // namespace

Tensor light_conv_layer(const Tensor& x, const Tensor& weight, int64_t stride, const Tensor& lengths) {
  if (!use_fused_kernel(x)) return light_conv_layer_plain(x, weight, stride, lengths);
  check(x, weight, stride, lengths);
  return LightConvFunction::apply(x.contiguous(), weight.softmax(2).contiguous(), lengths.contiguous(), stride);
}

Tensor light_conv_layer_plain(const Tensor& x, const Tensor& weight, int64_t stride, const Tensor& lengths) {
  check(x, weight, stride, lengths);
  const int64_t channels = x.size(2);
  Tensor kernels = weight.softmax(2);  // [heads, 1, kernel]
  if (kernels.size(0) != channels) {
    const Tensor channel = torch::arange(channels, torch::TensorOptions(torch::kInt64).device(x.device()));
    kernels = kernels.index_select(0, channel.remainder(kernels.size(0)));
  }
  const Tensor inside = x.masked_fill(padding_mask(x.size(1), lengths, x.device()).unsqueeze(2), 0);
  const Tensor y = torch::relu(torch::conv1d(inside.transpose(1, 2), kernels, /*bias=*/Tensor(), stride,
                                             torch::IntArrayRef(0), /*dilation=*/1, channels))
                       .transpose(1, 2);  // [batch, positions, channels]
  const Tensor output_lengths = light_conv_lengths(lengths, weight.size(2), stride);
  return y.masked_fill(padding_mask(y.size(1), output_lengths, x.device()).unsqueeze(2), 0);
}

Tensor light_conv_lengths(const Tensor& lengths, int64_t kernel, int64_t stride) {
  Tensor outputs = lengths.clone();
  for (int64_t i = 0; i < outputs.size(0); ++i) {
    int64_t& length = outputs.data_ptr<int64_t>()[i];
    length = light_conv_length(length, kernel, stride);
  }
  return outputs;
}

}  // namespace otseq2set::inline autograd
