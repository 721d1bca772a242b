#include "otseq2set/model/attention.h"

#include <limits>

#include "otseq2set/autograd/padding_mask.h"

namespace otseq2set::inline model {

AttentionImpl::AttentionImpl(int64_t hidden)
    : linear_encoder_(register_module("linear_encoder", torch::nn::Linear(2 * hidden, hidden))),
      linear_decoder_(register_module("linear_decoder", torch::nn::Linear(hidden, hidden))),
      linear_v_(register_module("linear_v", torch::nn::Linear(hidden, 1))) {}

DecoderMemory AttentionImpl::prepare(const torch::Tensor& states, const torch::Tensor& lengths) {
  return {states, linear_encoder_(states), lengths, padding_mask(states.size(1), lengths, states.device())};
}

Look AttentionImpl::forward(const torch::Tensor& state, const DecoderMemory& memory) {
  const torch::Tensor query = linear_decoder_(state).unsqueeze(1);                        // [batch, 1, hidden]
  const torch::Tensor energies = linear_v_(torch::tanh(query + memory.keys)).squeeze(2);  // [batch, positions]
  const torch::Tensor weights = energies.masked_fill(memory.mask, -std::numeric_limits<double>::infinity()).softmax(1);
  return {torch::bmm(weights.unsqueeze(1), memory.states).squeeze(1), weights};
}

}  // namespace otseq2set::inline model
