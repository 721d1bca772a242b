#include "otseq2set/model/encoder.h"

namespace otseq2set {

namespace rnn = torch::nn::utils::rnn;

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
  const int64_t batch = x.size(0), words = x.size(1);
  const torch::Tensor start = torch::zeros({2, batch, hidden_}, x.options());
  torch::Tensor last;  // [2, batch, hidden]
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    if (layer > 0) x = dropout(x, "encoder layer", layer);
    const auto packed = rnn::pack_padded_sequence(x, lengths, /*batch_first=*/true);
    torch::Tensor states;
    std::tie(states, last) = torch::gru(packed.data(), packed.batch_sizes(), start, layers_[layer], /*has_biases=*/true,
                                        /*num_layers=*/1, /*dropout=*/0.0, /*train=*/false, /*bidirectional=*/true);
    x = std::get<0>(torch::_pad_packed_sequence(states, packed.batch_sizes(), /*batch_first=*/true,
                                                /*padding_value=*/0, words));
  }
  return {x, torch::cat({last[0], last[1]}, 1)};
}

EncoderImpl::EncoderImpl(int64_t word_ids, const ModelConfig& config)
    : embedding_(register_module("embedding", torch::nn::Embedding(word_ids, config.word_embedding))),
      rnn_(register_module("rnn", BidirectionalGru(config.word_embedding, config.hidden, config.encoder_layers))),
      fc_(register_module("fc", torch::nn::Linear(2 * config.hidden, config.hidden))) {}

Encoded EncoderImpl::forward(const torch::Tensor& words, const torch::Tensor& lengths, const Dropout& dropout) {
  const torch::Tensor vectors = dropout(embedding_(words), "word vectors");  // [batch, words, word_embedding]
  const auto output = rnn_(vectors, lengths, dropout);
  return {output.states, torch::tanh(fc_(output.last))};
}

}  // namespace otseq2set
