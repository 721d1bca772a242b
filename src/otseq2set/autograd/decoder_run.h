// The steps of the decoder (kernels/decoder_steps.h) for tensors, and the gradients of all of it.
//
// Autograd takes no part: the backward is derived by hand, and the gradients of the weights are one product
// over all steps at its end. Documents and blocks of columns are computed on all threads; how the work is cut
// depends on the sizes alone. For float or double on the CPU.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace otseq2set::inline autograd {

// The weights, or their gradients.
struct DecoderWeights {
  torch::Tensor label_vectors;     // E [label ids, label width]
  torch::Tensor query_weight;      // W [hidden, hidden]
  torch::Tensor query_bias;        // b [hidden]
  torch::Tensor v;                 // [hidden]
  torch::Tensor weight_ih;         // [3 hidden, label width + width of all contexts]
  torch::Tensor weight_hh;         // [3 hidden, hidden]
  torch::Tensor bias_ih, bias_hh;  // [3 hidden]
};

// What the steps of some documents can look at: the words' states, or LightConv's.
struct DecoderMemory {
  torch::Tensor states;     // h [documents, positions, width]
  torch::Tensor keys;       // U h + b_u [documents, positions, hidden]
  torch::Tensor lengths;    // positions that count [documents] int64 on the CPU
  torch::Tensor mask = {};  // attention mask, true where a position does not count [documents, positions];
                            // for the steps with autograd
};

// Documents that were encoded together; a batch is made of one or several such groups. Or the gradients of
// `first`, `states` and `keys`.
struct DecoderGroup {
  torch::Tensor first;                  // s_0 [documents, hidden]
  std::vector<DecoderMemory> memories;  // one or two, the same number in all groups

  // first, then states and keys of each memory.
  std::vector<torch::Tensor> tensors() const;
};

class DecoderRun {
 public:
  virtual ~DecoderRun() = default;

  // masks: dropout of the label vectors [steps, batch, label width], or undefined.
  static std::unique_ptr<DecoderRun> make(const DecoderWeights& weights, const std::vector<DecoderGroup>& groups,
                                          const torch::Tensor& masks, int64_t steps);

  // The next step, reading these label ids [batch] int64. Returns its features [batch, features], as long as the run lives.
  virtual torch::Tensor step(const torch::Tensor& labels) = 0;

  // After the last step. gradient: of the features [steps, batch, features]. Adds to `gradients`; returns
  // those of each group.
  virtual std::vector<DecoderGroup> backward(const torch::Tensor& gradient, DecoderWeights& gradients) = 0;

  // [steps, batch, hidden + contexts + label width], as long as the run lives
  virtual torch::Tensor features() = 0;
};

}  // namespace otseq2set::inline autograd
