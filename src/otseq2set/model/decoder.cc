#include "otseq2set/model/decoder.h"

#include <vector>

#include "otseq2set/autograd/choice.h"
#include "otseq2set/autograd/linear_with_result.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline model {

namespace {

constexpr double kTemperature = 0.1;  // of the global embedding

// SGM's masked decoding: a label already produced gets a logit that never wins.
// End mark and empty label may come again.
class ProducedLabels {
 public:
  // options: of the logits.
  ProducedLabels(int64_t batch, int64_t label_ids, const torch::TensorOptions& options)
      : produced_(torch::zeros({batch, label_ids}, options.dtype(torch::kBool).requires_grad(false))) {}

  // logits: [batch, label ids].
  torch::Tensor mask(const torch::Tensor& logits) const { return logits.masked_fill(produced_, -1e7); }

  // ids: [batch] int64, of the step just made.
  void add(const torch::Tensor& ids) {
    produced_.scatter_(1, ids.unsqueeze(1), true);
    produced_.select(1, kEndLabel).fill_(false);
    produced_.select(1, kEmptyLabel).fill_(false);
  }

 private:
  torch::Tensor produced_;  // [batch, label ids] bool
};
}  // namespace

DecoderGruImpl::DecoderGruImpl(int64_t input, int64_t hidden) : cell_(input, hidden) {
  auto layers = std::make_shared<torch::nn::ModuleListImpl>();
  layers->push_back(cell_);
  register_module("layers", layers);
}

DecoderImpl::DecoderImpl(int64_t label_ids, const ModelConfig& config, const Variant& variant)
    : embedding_(register_module("embedding", torch::nn::Embedding(label_ids, config.label_embedding))),
      rnn_(nullptr),
      attention_(register_module("attention", Attention(config.hidden))) {
  const int64_t contexts = (variant.light_conv ? 2 : 1) * 2 * config.hidden;
  const int64_t features = config.hidden + contexts + config.label_embedding;
  rnn_ = register_module("rnn", DecoderGru(config.label_embedding + contexts, config.hidden));
  if (config.bottleneck == 0) {
    fc_out_ = register_module("fc_out", torch::nn::Linear(features, label_ids));
  } else {
    bottleneck_in_ = register_module("bottleneck0", torch::nn::Linear(features, config.bottleneck));
    bottleneck_out_ = register_module("bottleneck1", torch::nn::Linear(config.bottleneck, label_ids));
  }
  if (variant.global_embedding) {
    const int64_t width = config.label_embedding;
    gate_label_ = register_module("ge_proj1", torch::nn::Linear(width, width));
    gate_average_ = register_module("ge_proj2", torch::nn::Linear(width, width));
  }
}

DecoderParameters DecoderImpl::weights() {
  const torch::nn::GRUCell& cell = rnn_->cell();
  const torch::nn::Linear& out = fc_out_ ? fc_out_ : bottleneck_out_;
  const DecoderWeights steps{embedding_->weight,
                             attention_->query()->weight,
                             attention_->query()->bias,
                             attention_->v(),
                             cell->weight_ih,
                             cell->weight_hh,
                             cell->bias_ih,
                             cell->bias_hh};
  if (fc_out_) return {steps, {}, {}, out->weight, out->bias};
  return {steps, bottleneck_in_->weight, bottleneck_in_->bias, out->weight, out->bias};
}

bool DecoderImpl::has_fused() const { return use_fused_kernel(embedding_->weight) && !gate_label_; }

Decoded DecoderImpl::decode(const DecoderGroup& input, int64_t steps, const Dropout& dropout,
                            const torch::Tensor& forced) {
  const auto options = input.first.options().requires_grad(false);
  const int64_t batch = input.first.size(0), label_ids = embedding_->weight.size(0);
  const bool global = static_cast<bool>(gate_label_), masked = global && !forced.defined();
  torch::Tensor state = input.first;
  Read read{torch::full({batch}, kStartLabel, options.dtype(torch::kInt64)), {}};
  ProducedLabels produced(batch, label_ids, options);
  if (global) read.logits = torch::zeros({batch, label_ids}, options);
  std::vector<torch::Tensor> features, logits_of, labels_of, weights;
  for (int64_t t = 0; t < steps; ++t) {
    if (forced.defined()) read.labels = forced.select(1, t);
    const Step now = step(read, state, input, dropout, t);
    state = now.state;
    features.push_back(now.features);
    weights.push_back(now.word_weights.detach());
    // Without the global embedding no gradient goes through a step's logits into the next one, and all steps
    // together get theirs at the end.
    torch::AutoGradMode with_gradient(torch::GradMode::is_enabled() && global);
    torch::Tensor now_logits = logits(now.features);
    if (masked) now_logits = produced.mask(now_logits);
    logits_of.push_back(now_logits);
    labels_of.push_back(now_logits.detach().argmax(1));
    read = {labels_of.back(), now_logits};
    if (masked) produced.add(labels_of.back());
  }
  const torch::Tensor result = torch::stack(logits_of, 1);
  const bool needs_gradient = torch::GradMode::is_enabled() && !global;
  return {needs_gradient ? logits_with_result(torch::stack(features, 1), result) : result, torch::stack(labels_of, 1),
          torch::stack(weights, 1)};
}

DecoderImpl::Step DecoderImpl::step(const Read& previous, const torch::Tensor& state, const DecoderGroup& input,
                                    const Dropout& dropout, int64_t t) {
  torch::Tensor label = dropout(embedding_(previous.labels), "label vectors", t);  // [batch, label_embedding]
  if (gate_label_) label = with_global_embedding(label, previous.logits);
  const Look words = attention_(state, input.memories[0]);
  std::vector<torch::Tensor> contexts = {words.context};
  if (input.memories.size() > 1) contexts.push_back(attention_(state, input.memories[1]).context);
  const torch::Tensor context = torch::cat(contexts, 1);  // [batch, 2 hidden or 4 hidden]
  const torch::Tensor next = rnn_->cell()(torch::cat({label, context}, 1), state);
  return {next, torch::cat({next, context, label}, 1), words.weights};
}

torch::Tensor DecoderImpl::with_global_embedding(const torch::Tensor& label, const torch::Tensor& previous_logits) {
  const torch::Tensor average = torch::mm((previous_logits / kTemperature).softmax(1), embedding_->weight);
  const torch::Tensor gate = torch::sigmoid(gate_label_(label) + gate_average_(average));
  return gate * label + (1 - gate) * average;
}

torch::Tensor DecoderImpl::logits(const torch::Tensor& features) {
  if (fc_out_) return fc_out_(features);
  return bottleneck_out_(torch::tanh(bottleneck_in_(features)));
}

torch::Tensor DecoderImpl::logits_with_result(const torch::Tensor& features, const torch::Tensor& result) {
  if (fc_out_) return linear_with_result(features, fc_out_->weight, fc_out_->bias, result);
  return linear_with_result(torch::tanh(bottleneck_in_(features)), bottleneck_out_->weight, bottleneck_out_->bias,
                            result);
}

}  // namespace otseq2set::inline model
