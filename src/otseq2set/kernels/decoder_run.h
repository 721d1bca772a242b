// The steps of the decoder for all documents of a batch together (paper, eq. 4-8): attention, label vector
// and GRU, and the gradients of all of it.
//
//   q_t = W s_{t-1} + b,   c_t = attend(q_t, words),   c'_t = attend(q_t, phrases),   e_t = E[label] * mask_t
//   s_t = GRU(s_{t-1}, [e_t; c_t; c'_t]),   features_t = [s_t; c_t; c'_t; e_t]
//
// Autograd takes no part: the backward is derived by hand, and the gradients of the weights are one product
// over all steps at its end. Documents and blocks of columns are computed on all threads; how the work is cut
// depends on the sizes alone. For float or double on the CPU.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "otseq2set/kernels/packed_linear.h"

namespace otseq2set {

// The weights, or their gradients.
struct DecoderWeights {
  torch::Tensor label_vectors;     // E [label ids, label width]
  torch::Tensor query_weight;      // W [hidden, hidden]
  torch::Tensor query_bias;        // b [hidden]
  torch::Tensor energy;            // v [hidden]
  torch::Tensor weight_ih;         // [3 hidden, label width + width of all contexts]
  torch::Tensor weight_hh;         // [3 hidden, hidden]
  torch::Tensor bias_ih, bias_hh;  // [3 hidden]
};

// weight: [outputs, inputs], bias: [outputs], both of T on the CPU.
template <typename T>
PackedLinear<T> pack_linear(const torch::Tensor& weight, const torch::Tensor& bias) {
  return {weight.size(0), weight.size(1), weight.detach().contiguous().data_ptr<T>(),
          bias.detach().contiguous().data_ptr<T>()};
}

// The products of a step, packed once for all steps.
template <typename T>
struct PackedSteps {
  explicit PackedSteps(const DecoderWeights& weights);

  PackedLinear<T> query, state;
  PackedLinear<T> input;  // of [contexts; label vector], as they stand in the features
};

// What the steps of some documents can look at: the words' states, or LightConv's.
struct DecoderMemory {
  torch::Tensor states;   // h [documents, positions, width]
  torch::Tensor keys;     // U h + b_u [documents, positions, hidden]
  torch::Tensor lengths;  // positions that count [documents] int64 on the CPU
};

// Documents that were encoded together; a batch is made of one or several such groups. Or the gradients of
// `first`, `states` and `keys`.
struct DecoderGroup {
  torch::Tensor first;                  // s_0 [documents, hidden]
  std::vector<DecoderMemory> memories;  // one or two, the same number in all groups
};

class DecoderRun {
 public:
  virtual ~DecoderRun() = default;

  // masks: dropout of the label vectors [steps, batch, label width], or undefined. packed: of these weights,
  // if they are float and the caller has it already; it must outlive the run.
  static std::unique_ptr<DecoderRun> make(const DecoderWeights& weights,
                                          const std::vector<DecoderGroup>& groups, const torch::Tensor& masks,
                                          int64_t steps, const PackedSteps<float>* packed = nullptr);

  // The next step, reading these label ids [batch] int64. Returns its features [batch, features].
  virtual torch::Tensor step(const torch::Tensor& labels) = 0;

  // After the last step. gradient: of the features [steps, batch, features]. Adds to `gradients`; returns
  // those of each group.
  virtual std::vector<DecoderGroup> backward(const torch::Tensor& gradient, DecoderWeights& gradients) = 0;

  // [steps, batch, hidden + contexts + label width]
  virtual const torch::Tensor& features() const = 0;
  // The attention to memory m [steps, batch, most positions], zero behind a document's end.
  virtual const torch::Tensor& attention(size_t m) const = 0;
};

}  // namespace otseq2set
