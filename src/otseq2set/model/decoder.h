// The decoder (paper, eq. 8-10): one label distribution a step, each step reading the label chosen before.
//
//   x_t = [e(p_{t-1}); c_t; c'_t],   s_t = GRU(s_{t-1}, x_t),   logits_t = W [s_t; c_t; c'_t; e(p_{t-1})] + b
//
// or, with a bottleneck, logits_t = W_out tanh(W_in [...] + b_in) + b_out. Without LightConv, c'_t is absent.
#pragma once

#include <torch/torch.h>

#include <optional>

#include "otseq2set/config/config.h"
#include "otseq2set/model/attention.h"
#include "otseq2set/model/dropout.h"

namespace otseq2set {

// The parameters of one GRU cell, under the authors' name `layers.0`.
class DecoderGruImpl : public torch::nn::Module {
 public:
  DecoderGruImpl(int64_t input, int64_t hidden);
  torch::nn::GRUCell& cell() { return cell_; }

 private:
  torch::nn::GRUCell cell_;
};
TORCH_MODULE(DecoderGru);

// What the decoder reads: the encoder's states and, with LightConv, its states.
struct DecoderInput {
  torch::Tensor first;  // s_0 [batch, hidden]
  Memory words;
  std::optional<Memory> phrases;
};

struct Decoded {
  torch::Tensor logits;        // [batch, steps, label ids]
  torch::Tensor labels;        // argmax of each step, which the next step read [batch, steps] int64
  torch::Tensor word_weights;  // attention of each step over the words [batch, steps, words], no gradient
};

class DecoderImpl : public torch::nn::Module {
 public:
  // label_ids counts the special ids too.
  DecoderImpl(int64_t label_ids, const ModelConfig& config, bool light_conv);

  // `steps` greedy steps, each reading the argmax over all ids of the step before; no gradient through it.
  Decoded decode(const DecoderInput& input, int64_t steps, const Dropout& dropout);

  const torch::Tensor& label_vectors() const { return embedding_->weight; }  // E [label ids, label_embedding]
  Attention& attention() { return attention_; }

 private:
  struct Step {
    torch::Tensor state;         // s_t [batch, hidden]
    torch::Tensor features;      // [s_t; c_t; c'_t; e] [batch, features]
    torch::Tensor word_weights;  // [batch, words]
  };
  Step step(const torch::Tensor& previous, const torch::Tensor& state, const DecoderInput& input,
            const Dropout& dropout, int64_t t);
  torch::Tensor logits(const torch::Tensor& features);  // [..., features] -> [..., label ids]
  // The same with gradients, where its values are known already.
  torch::Tensor logits_with_result(const torch::Tensor& features, const torch::Tensor& result);

  Decoded decode_fused(const DecoderInput& input, int64_t steps, const Dropout& dropout);
  Decoded decode_plain(const DecoderInput& input, int64_t steps, const Dropout& dropout);

  torch::nn::Embedding embedding_;
  DecoderGru rnn_;
  Attention attention_;
  torch::nn::Linear fc_out_{nullptr};                                   // without a bottleneck
  torch::nn::Linear bottleneck_in_{nullptr}, bottleneck_out_{nullptr};  // with one
};
TORCH_MODULE(Decoder);

}  // namespace otseq2set
