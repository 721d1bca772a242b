// One pass of the fused decoder over all documents of a batch: its steps, the output layer, and the way back.
//
// It does what Decoder does with autograd, by hand and for the whole batch at once, so that the
// products with the output weights are as large as can be. Rows are numbered step by step:
// row t * batch + i is step t of document i.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "otseq2set/autograd/decoder_run.h"
#include "otseq2set/autograd/label_softmax.h"
#include "otseq2set/model/dropout.h"

namespace otseq2set::inline model {

// All parameters of the decoder, or their gradients.
struct DecoderParameters {
  DecoderWeights steps;
  torch::Tensor in_weight, in_bias;    // [bottleneck, features], [bottleneck]; undefined without a bottleneck
  torch::Tensor out_weight, out_bias;  // [label ids, bottleneck or features], [label ids]
};

class DecoderPass {
 public:
  // `groups`: documents that were encoded together; their order is that of the batch.
  DecoderPass(const DecoderParameters& parameters, const std::vector<DecoderGroup>& groups, int64_t steps,
              const Dropout& dropout);

  // Each step reads the best id of the one before.
  void run_greedy();
  // Step t reads labels[t]; labels: [steps, batch] int64. A document that reads the empty label is behind its
  // end: nothing is asked of such rows, and the softmax has only the others, in their order.
  void run_forced(const torch::Tensor& labels);

  LabelSoftmax& softmax() { return softmax_; }
  int64_t batch() const { return batch_; }

  // Writes the gradients of the output layer and adds all others to `gradients`. Returns those of the
  // tensors() of each group.
  std::vector<std::vector<torch::Tensor>> backward(const RowLoss& loss, DecoderParameters& gradients);

 private:
  // features: [rows, features] -> what the output layer multiplies.
  torch::Tensor output_input(const torch::Tensor& features) const;

  DecoderParameters parameters_;
  int64_t batch_, steps_;
  std::unique_ptr<DecoderRun> run_;
  LabelSoftmax softmax_;
  torch::Tensor bottleneck_;  // tanh(W_in features + b_in) of the softmax's rows, only with a bottleneck
  torch::Tensor asked_;       // the rows that the softmax has [count] int64; undefined: all
};

}  // namespace otseq2set::inline model
