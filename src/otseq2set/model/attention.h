// Additive attention (paper, eq. 4-6): where in the document does the decoder look at this step?
//
//   e_i = v . tanh(W s + U h_i),   a = softmax(e),   c = sum_i a_i h_i
//
// U h_i depends on the document alone, so `prepare` computes it once and every step reuses it.
#pragma once

#include <torch/torch.h>

#include "otseq2set/autograd/decoder_run.h"

namespace otseq2set::inline model {

struct Look {
  torch::Tensor context;  // c [batch, 2 hidden]
  torch::Tensor weights;  // a [batch, positions]
};

class AttentionImpl : public torch::nn::Module {
 public:
  explicit AttentionImpl(int64_t hidden);

  // states: [batch, positions, 2 hidden]; lengths: [batch] int64, positions that count.
  DecoderMemory prepare(const torch::Tensor& states, const torch::Tensor& lengths);

  // state: the decoder's state before the step [batch, hidden].
  Look forward(const torch::Tensor& state, const DecoderMemory& memory);

  // W, its bias and v, for the fused decoder. The bias of v shifts all e_i alike and has no effect.
  const torch::nn::Linear& query() const { return linear_decoder_; }
  torch::Tensor v() const { return linear_v_->weight.view({-1}); }

 private:
  torch::nn::Linear linear_encoder_;  // U
  torch::nn::Linear linear_decoder_;  // W
  torch::nn::Linear linear_v_;        // v
};
TORCH_MODULE(Attention);

}  // namespace otseq2set::inline model
