#include "otseq2set/model/decoder.h"

#include <vector>

namespace otseq2set {

DecoderGruImpl::DecoderGruImpl(int64_t input, int64_t hidden) : cell_(input, hidden) {
  auto layers = std::make_shared<torch::nn::ModuleListImpl>();
  layers->push_back(cell_);
  register_module("layers", layers);
}

torch::Tensor DecoderGruImpl::forward(const torch::Tensor& x, const torch::Tensor& state) { return cell_(x, state); }

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

DecoderImpl::Step DecoderImpl::step(const torch::Tensor& previous, const torch::Tensor& state,
                                    const Documents& documents, const Dropout& dropout, int64_t t) {
  const torch::Tensor label = dropout(embedding_(previous), "label vectors", t);  // [batch, label_embedding]
  const Look words = attention_(state, documents.words);
  std::vector<torch::Tensor> contexts = {words.context};
  if (documents.phrases) contexts.push_back(attention_(state, *documents.phrases).context);
  const torch::Tensor context = torch::cat(contexts, 1);  // [batch, 2 hidden or 4 hidden]
  const torch::Tensor next = rnn_(torch::cat({label, context}, 1), state);
  return {next, torch::cat({next, context, label}, 1), words.weights};
}

torch::Tensor DecoderImpl::logits(const torch::Tensor& features) {
  if (fc_out_) return fc_out_(features);
  return bottleneck_out_(torch::tanh(bottleneck_in_(features)));
}

}  // namespace otseq2set
