#include "otseq2set/model/encoder.h"

#include "otseq2set/autograd/gru.h"

namespace otseq2set::inline model {

BidirectionalGruImpl::BidirectionalGruImpl(int64_t input, int64_t hidden, int64_t layers) : hidden_(hidden) {
  for (int64_t layer = 0; layer < layers; ++layer) {
    const int64_t width = layer == 0 ? input : 2 * hidden;
    layers_.emplace_back();
    for (const char* direction : {"", "_reverse"}) {
      const std::string end = "_l" + std::to_string(layer) + direction;
      auto add = [&](const std::string& name, torch::IntArrayRef shape) {
        layers_.back().push_back(register_parameter(name + end, torch::zeros(shape)));
      };
      add("weight_ih", {3 * hidden, width});
      add("weight_hh", {3 * hidden, hidden});
      add("bias_ih", {3 * hidden});
      add("bias_hh", {3 * hidden});
    }
  }
}

BidirectionalGruImpl::Output BidirectionalGruImpl::forward(torch::Tensor x, const torch::Tensor& lengths,
                                                           const Dropout& dropout) {
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    if (layer > 0) x = dropout(x, "encoder layer", layer);
    x = bidirectional_gru(x, lengths, layers_[layer]);
  }
  const torch::Tensor row = torch::arange(x.size(0), torch::TensorOptions(torch::kInt64).device(x.device()));
  const torch::Tensor forward_end = x.index({row, (lengths - 1).to(x.device())}).narrow(1, 0, hidden_);
  const torch::Tensor backward_end = x.select(1, 0).narrow(1, hidden_, hidden_);
  return {x, torch::cat({forward_end, backward_end}, 1)};
}

EncoderImpl::EncoderImpl(int64_t word_ids, const ModelConfig& config)
    // Sparse: a shard's gradient has rows for its own words only, not for the whole vocabulary.
    : embedding_(register_module(
          "embedding",
          torch::nn::Embedding(torch::nn::EmbeddingOptions(word_ids, config.word_embedding).sparse(true)))),
      rnn_(register_module("rnn", BidirectionalGru(config.word_embedding, config.hidden, config.encoder_layers))),
      fc_(register_module("fc", torch::nn::Linear(2 * config.hidden, config.hidden))) {}

Encoded EncoderImpl::forward(const torch::Tensor& words, const torch::Tensor& lengths, const Dropout& dropout) {
  const torch::Tensor vectors = dropout(embedding_(words), "word vectors");  // [batch, words, word_embedding]
  const auto output = rnn_(vectors, lengths, dropout);
  return {output.states, torch::tanh(fc_(output.last))};
}

}  // namespace otseq2set::inline model
