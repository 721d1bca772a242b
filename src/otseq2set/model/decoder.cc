#include "otseq2set/model/decoder.h"

#include <vector>

#include "otseq2set/kernels/choice.h"
#include "otseq2set/kernels/decoder_steps.h"
#include "otseq2set/kernels/linear_with_result.h"
#include "otseq2set/model/ids.h"

namespace otseq2set {

namespace {

torch::Tensor start_labels(const DecoderInput& input) {
  return torch::full({input.first.size(0)}, kStartLabel,
                     input.first.options().dtype(torch::kInt64).requires_grad(false));
}

}  // namespace

DecoderGruImpl::DecoderGruImpl(int64_t input, int64_t hidden) : cell_(input, hidden) {
  auto layers = std::make_shared<torch::nn::ModuleListImpl>();
  layers->push_back(cell_);
  register_module("layers", layers);
}

DecoderImpl::DecoderImpl(int64_t label_ids, const ModelConfig& config, bool light_conv)
    : embedding_(register_module("embedding", torch::nn::Embedding(label_ids, config.label_embedding))),
      rnn_(nullptr),
      attention_(register_module("attention", Attention(config.hidden))) {
  const int64_t contexts = (light_conv ? 2 : 1) * 2 * config.hidden;
  const int64_t features = config.hidden + contexts + config.label_embedding;
  rnn_ = register_module("rnn", DecoderGru(config.label_embedding + contexts, config.hidden));
  if (config.bottleneck == 0) {
    fc_out_ = register_module("fc_out", torch::nn::Linear(features, label_ids));
  } else {
    bottleneck_in_ = register_module("bottleneck0", torch::nn::Linear(features, config.bottleneck));
    bottleneck_out_ = register_module("bottleneck1", torch::nn::Linear(config.bottleneck, label_ids));
  }
}

Decoded DecoderImpl::decode(const DecoderInput& input, int64_t steps, const Dropout& dropout) {
  return use_fused_kernel(input.first) ? decode_fused(input, steps, dropout)
                                       : decode_plain(input, steps, dropout);
}

Decoded DecoderImpl::decode_fused(const DecoderInput& input, int64_t steps, const Dropout& dropout) {
  std::vector<DecoderMemory> memories = {{input.words.states, input.words.keys, input.words.lengths}};
  if (input.phrases) memories.push_back({input.phrases->states, input.phrases->keys, input.phrases->lengths});
  std::vector<torch::Tensor> masks;
  for (int64_t t = 0; dropout.active() && t < steps; ++t) {
    masks.push_back(dropout.mask({input.first.size(0), embedding_->weight.size(1)}, input.first.options(),
                                 "label vectors", static_cast<uint64_t>(t)));
  }
  std::vector<torch::Tensor> logits_of, labels_of;
  auto choose = [&](const torch::Tensor& features, int64_t) {
    logits_of.push_back(logits(features));
    labels_of.push_back(logits_of.back().argmax(1));
    return labels_of.back();
  };
  const torch::nn::GRUCell& cell = rnn_->cell();
  const DecoderSteps run =
      decoder_steps({embedding_->weight, attention_->query()->weight, attention_->query()->bias,
                     attention_->energy(), cell->weight_ih, cell->weight_hh, cell->bias_ih, cell->bias_hh},
                    input.first, memories, start_labels(input),
                    masks.empty() ? torch::Tensor() : torch::stack(masks), steps, choose);
  const torch::Tensor result = torch::stack(logits_of, 1);
  return {torch::GradMode::is_enabled() ? logits_with_result(run.features, result) : result,
          torch::stack(labels_of, 1), run.attention[0].transpose(0, 1)};
}

Decoded DecoderImpl::decode_plain(const DecoderInput& input, int64_t steps, const Dropout& dropout) {
  torch::Tensor state = input.first;
  torch::Tensor label = start_labels(input);
  std::vector<torch::Tensor> features, logits_of, labels_of, weights;
  for (int64_t t = 0; t < steps; ++t) {
    const Step now = step(label, state, input, dropout, t);
    state = now.state;
    features.push_back(now.features);
    weights.push_back(now.word_weights.detach());
    torch::NoGradGuard no_gradient;  // the choice of a label has none
    logits_of.push_back(logits(now.features));
    label = logits_of.back().argmax(1);
    labels_of.push_back(label);
  }
  const torch::Tensor result = torch::stack(logits_of, 1);
  return {torch::GradMode::is_enabled() ? logits_with_result(torch::stack(features, 1), result) : result,
          torch::stack(labels_of, 1), torch::stack(weights, 1)};
}

DecoderImpl::Step DecoderImpl::step(const torch::Tensor& previous, const torch::Tensor& state,
                                    const DecoderInput& input, const Dropout& dropout, int64_t t) {
  const torch::Tensor label = dropout(embedding_(previous), "label vectors", t);  // [batch, label_embedding]
  const Look words = attention_(state, input.words);
  std::vector<torch::Tensor> contexts = {words.context};
  if (input.phrases) contexts.push_back(attention_(state, *input.phrases).context);
  const torch::Tensor context = torch::cat(contexts, 1);  // [batch, 2 hidden or 4 hidden]
  const torch::Tensor next = rnn_->cell()(torch::cat({label, context}, 1), state);
  return {next, torch::cat({next, context, label}, 1), words.weights};
}

torch::Tensor DecoderImpl::logits(const torch::Tensor& features) {
  if (fc_out_) return fc_out_(features);
  return bottleneck_out_(torch::tanh(bottleneck_in_(features)));
}

torch::Tensor DecoderImpl::logits_with_result(const torch::Tensor& features, const torch::Tensor& result) {
  if (fc_out_) return linear_with_result(features, fc_out_->weight, fc_out_->bias, result);
  return linear_with_result(torch::tanh(bottleneck_in_(features)), bottleneck_out_->weight,
                            bottleneck_out_->bias, result);
}

}  // namespace otseq2set
