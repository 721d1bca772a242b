#include "otseq2set/model/decoder_pass.h"

#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline model {

namespace {

using torch::Tensor;

int64_t documents_in(const std::vector<DecoderGroup>& groups) {
  int64_t count = 0;
  for (const DecoderGroup& group : groups) count += group.first.size(0);
  return count;
}

// [steps, batch, label width], or undefined without dropout.
Tensor label_masks(const DecoderParameters& parameters, int64_t batch, int64_t steps, const Dropout& dropout) {
  if (!dropout.active()) return {};
  const Tensor& vectors = parameters.steps.label_vectors;
  Tensor masks = torch::empty({steps, batch, vectors.size(1)}, vectors.options());
  for (int64_t t = 0; t < steps; ++t) {
    masks[t].copy_(
        dropout.mask({batch, vectors.size(1)}, vectors.options(), "label vectors", static_cast<uint64_t>(t)));
  }
  return masks;
}

}  // namespace

DecoderPass::DecoderPass(const DecoderParameters& parameters, const std::vector<DecoderGroup>& groups, int64_t steps,
                         const Dropout& dropout)
    : parameters_(parameters),
      batch_(documents_in(groups)),
      steps_(steps),
      run_(DecoderRun::make(parameters.steps, groups, label_masks(parameters, batch_, steps, dropout), steps)),
      softmax_(parameters.out_weight, parameters.out_bias, 0) {}

Tensor DecoderPass::output_input(const Tensor& features) const {
  if (!parameters_.in_weight.defined()) return features;
  return torch::tanh(torch::linear(features, parameters_.in_weight, parameters_.in_bias));
}

void DecoderPass::run_greedy() {
  torch::NoGradGuard no_gradient;
  softmax_ = LabelSoftmax(parameters_.out_weight, parameters_.out_bias, steps_ * batch_);
  std::vector<Tensor> inputs;
  Tensor labels = torch::full({batch_}, kStartLabel, torch::kInt64);
  for (int64_t t = 0; t < steps_; ++t) {
    inputs.push_back(output_input(run_->step(labels)));
    labels = softmax_.forward(inputs.back(), t * batch_);
  }
  if (parameters_.in_weight.defined()) bottleneck_ = torch::cat(inputs);
}

void DecoderPass::run_forced(const Tensor& labels) {
  torch::NoGradGuard no_gradient;
  for (int64_t t = 0; t < steps_; ++t) run_->step(labels[t]);
  asked_ = labels.flatten().ne(kEmptyLabel).nonzero().squeeze(1);
  const Tensor in = output_input(run_->features().flatten(0, 1).index_select(0, asked_));
  if (parameters_.in_weight.defined()) bottleneck_ = in;
  softmax_ = LabelSoftmax(parameters_.out_weight, parameters_.out_bias, asked_.size(0));
  softmax_.forward(in, 0);
}

std::vector<std::vector<Tensor>> DecoderPass::backward(const RowLoss& loss, DecoderParameters& gradients) {
  torch::NoGradGuard no_gradient;
  const Tensor all = run_->features().flatten(0, 1);  // [rows, features]
  const Tensor features = asked_.defined() ? all.index_select(0, asked_) : all;
  Tensor gradient =
      softmax_.backward(bottleneck_.defined() ? bottleneck_ : features, loss, gradients.out_weight, gradients.out_bias);
  if (bottleneck_.defined()) {
    const Tensor inner = gradient * (1 - bottleneck_.square());
    gradients.in_weight.add_(torch::mm(inner.t(), features));
    gradients.in_bias.add_(inner.sum(0));
    gradient = torch::mm(inner, parameters_.in_weight);
  }
  if (asked_.defined()) gradient = torch::zeros_like(all).index_copy_(0, asked_, gradient);
  std::vector<std::vector<Tensor>> result;
  for (const DecoderGroup& group : run_->backward(gradient.view({steps_, batch_, features.size(1)}), gradients.steps)) {
    result.push_back(group.tensors());
  }
  return result;
}

}  // namespace otseq2set::inline model
