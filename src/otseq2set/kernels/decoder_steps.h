// All steps of the decoder as one operation (paper, eq. 4-8): attention, label vector and GRU, step after
// step.
//
//   q_t = W s_{t-1} + b,   c_t = attend(q_t, words),   c'_t = attend(q_t, phrases),   e_t = E[label] * mask_t
//   s_t = GRU(s_{t-1}, [e_t; c_t; c'_t]),   features_t = [s_t; c_t; c'_t; e_t]
//
// Being one operation, nothing is built for autograd at each step, and the gradients of all weights are one
// product over all steps at the end. `choose` turns a step's features into the labels that the next step
// reads; it is called without gradients.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace otseq2set {

struct DecoderWeights {
  torch::Tensor label_vectors;     // E [label ids, label width]
  torch::Tensor query_weight;      // W [hidden, hidden]
  torch::Tensor query_bias;        // b [hidden]
  torch::Tensor energy;            // v [hidden]
  torch::Tensor weight_ih;         // [3 hidden, label width + width of all contexts]
  torch::Tensor weight_hh;         // [3 hidden, hidden]
  torch::Tensor bias_ih, bias_hh;  // [3 hidden]
};

// What a step can look at: the words' states, and LightConv's.
struct DecoderMemory {
  torch::Tensor states;   // h [batch, positions, width]
  torch::Tensor keys;     // U h + b_u [batch, positions, hidden]
  torch::Tensor lengths;  // positions that count [batch] int64 on the CPU
};

// features: [batch, all features] of step t -> label ids [batch] int64.
using ChooseLabels = std::function<torch::Tensor(const torch::Tensor& features, int64_t t)>;

struct DecoderSteps {
  torch::Tensor features;                // [batch, steps, hidden + contexts + label width]
  std::vector<torch::Tensor> attention;  // weights per memory [steps, batch, positions], no gradient
};

// first: s_0 [batch, hidden]; first_labels: ids read by step 0 [batch] int64; masks: dropout of the label
// vectors [steps, batch, label width], or undefined. One or two memories. Fused, for float or double on the
// CPU.
DecoderSteps decoder_steps(const DecoderWeights& weights, const torch::Tensor& first,
                           const std::vector<DecoderMemory>& memories, const torch::Tensor& first_labels,
                           const torch::Tensor& masks, int64_t steps, const ChooseLabels& choose);

}  // namespace otseq2set
