// The decoder (paper, eq. 8-10): one label distribution a step, each step reading the label chosen before.
//
//   x_t = [e(p_{t-1}); c_t; c'_t],   s_t = GRU(s_{t-1}, x_t),   logits_t = W [s_t; c_t; c'_t; e(p_{t-1})] + b
//
// or, with a bottleneck, logits_t = W_out tanh(W_in [...] + b_in) + b_out. Without LightConv, c'_t is absent.
//
// SGM's global embedding lets a step read all of the step before and not its best label alone: with
// q = softmax(logits_{t-1} / 0.1) and avg = E^T q, the vector g * e + (1 - g) * avg stands for e, where
// g = sigmoid(W1 e + W2 avg + b). Its masked decoding never produces a label twice.
#pragma once

#include <torch/torch.h>

#include "otseq2set/config/config.h"
#include "otseq2set/model/attention.h"
#include "otseq2set/model/decoder_pass.h"
#include "otseq2set/model/dropout.h"

namespace otseq2set::inline model {

// The parameters of one GRU cell, under the authors' name `layers.0`.
class DecoderGruImpl : public torch::nn::Module {
 public:
  DecoderGruImpl(int64_t input, int64_t hidden);
  torch::nn::GRUCell& cell() { return cell_; }

 private:
  torch::nn::GRUCell cell_;
};
TORCH_MODULE(DecoderGru);

struct Decoded {
  torch::Tensor logits;        // [batch, steps, label ids]
  torch::Tensor labels;        // the best id of each step [batch, steps] int64
  torch::Tensor word_weights;  // attention of each step over the words [batch, steps, words], no gradient
};

class DecoderImpl : public torch::nn::Module {
 public:
  // label_ids counts the special ids too.
  DecoderImpl(int64_t label_ids, const ModelConfig& config, const Variant& variant);

  // `steps` greedy steps, each reading the best id of the step before; no gradient through that choice. With
  // masked decoding, the logits are the masked ones. Or teacher forcing: step t reads forced[:, t]; forced:
  // [batch, steps] int64.
  Decoded decode(const DecoderGroup& input, int64_t steps, const Dropout& dropout, const torch::Tensor& forced = {});

  const torch::Tensor& label_vectors() const { return embedding_->weight; }  // E [label ids, label_embedding]
  Attention& attention() { return attention_; }

  // Whether training uses DecoderPass: for float or double on the CPU, and not with the global embedding.
  bool has_fused() const;
  DecoderParameters weights();

 private:
  struct Step {
    torch::Tensor state;         // s_t [batch, hidden]
    torch::Tensor features;      // [s_t; c_t; c'_t; e] [batch, features]
    torch::Tensor word_weights;  // [batch, words]
  };
  // What a step reads of the one before: its label ids [batch] and, for the global embedding, its logits.
  struct Read {
    torch::Tensor labels;
    torch::Tensor logits;  // [batch, label ids]
  };
  Step step(const Read& previous, const torch::Tensor& state, const DecoderGroup& input, const Dropout& dropout,
            int64_t t);
  torch::Tensor with_global_embedding(const torch::Tensor& label, const torch::Tensor& previous_logits);
  torch::Tensor logits(const torch::Tensor& features);  // [..., features] -> [..., label ids]
  // The same with gradients, where its values are known already.
  torch::Tensor logits_with_result(const torch::Tensor& features, const torch::Tensor& result);

  torch::nn::Embedding embedding_;
  DecoderGru rnn_;
  Attention attention_;
  torch::nn::Linear fc_out_{nullptr};                                   // without a bottleneck
  torch::nn::Linear bottleneck_in_{nullptr}, bottleneck_out_{nullptr};  // with one
  torch::nn::Linear gate_label_{nullptr}, gate_average_{nullptr};       // with the global embedding: W1, W2
};
TORCH_MODULE(Decoder);

}  // namespace otseq2set::inline model
