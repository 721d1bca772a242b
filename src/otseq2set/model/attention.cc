#include "otseq2set/model/attention.h"

#include <limits>

namespace otseq2set::inline model {

AttentionImpl::AttentionImpl(int64_t hidden)
    : linear_encoder_(register_module("linear_encoder", torch::nn::Linear(2 * hidden, hidden))),
      linear_decoder_(register_module("linear_decoder", torch::nn::Linear(hidden, hidden))),
      linear_v_(register_module("linear_v", torch::nn::Linear(hidden, 1))) {}

Memory AttentionImpl::prepare(const torch::Tensor& states, const torch::Tensor& lengths) {
  const torch::Tensor position = torch::arange(states.size(1), lengths.options());
  const torch::Tensor outside = position.unsqueeze(0) >= lengths.unsqueeze(1);
  return {states, linear_encoder_(states), lengths, outside.to(states.device())};
}

Look AttentionImpl::forward(const torch::Tensor& state, const Memory& memory) {
  const torch::Tensor query = linear_decoder_(state).unsqueeze(1);                      // [batch, 1, hidden]
  const torch::Tensor energy = linear_v_(torch::tanh(query + memory.keys)).squeeze(2);  // [batch, positions]
  const torch::Tensor weights =
      energy.masked_fill(memory.outside, -std::numeric_limits<double>::infinity()).softmax(1);
  return {torch::bmm(weights.unsqueeze(1), memory.states).squeeze(1), weights};
}

}  // namespace otseq2set::inline model
