// The output layer and the softmax over all label ids, block by block (paper, eq. 9-10).
//
//   logits = in W^T + b,   P = softmax(logits),   x = E^T P
//
// With thousands to millions of labels these are the largest tensors of a training step, so they exist once:
// the logits of all rows become probabilities and then gradients in place. Blocks of labels are computed on
// all threads; how the work is cut depends on the sizes alone.
//
// The calls come in the order: forward for all rows; log_probability and logits as often as needed;
// normalise; expected_vectors; backward. For float or double on the CPU.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace otseq2set::inline autograd {

// What a loss asks of the rows: sum_r weight_r * -log P[r, target_r], and a term that depends on the x_r and
// has the gradients `vector_gradients` in them.
struct RowLoss {
  std::vector<int64_t> targets;
  std::vector<double> weights;     // 0: nothing is asked of this row
  torch::Tensor vectors;           // E [label ids, width], undefined without that term
  torch::Tensor expected;          // x [rows, width]
  torch::Tensor vector_gradients;  // [rows, width]
};

class LabelSoftmax {
 public:
  // weight: [label ids, width of in]; bias: [label ids].
  LabelSoftmax(const torch::Tensor& weight, const torch::Tensor& bias, int64_t rows);

  // in: [count, width], the rows from first_row on. Returns the best id of each, [count] int64.
  torch::Tensor forward(const torch::Tensor& in, int64_t first_row);

  int64_t rows() const { return logits_.size(0); }
  const torch::Tensor& logits() const { return logits_; }      // [rows, label ids]
  const torch::Tensor& log_sums() const { return log_sums_; }  // [rows]; NaN or infinite where a logit is
  double log_probability(int64_t row, int64_t id) const;

  void normalise();
  // E: [label ids, width] -> [rows, width]
  torch::Tensor expected_vectors(const torch::Tensor& vectors) const;
  // in: [rows, width]. Writes the gradients of weight and bias, returns that of in.
  torch::Tensor backward(const torch::Tensor& in, const RowLoss& loss, torch::Tensor& weight_gradient,
                         torch::Tensor& bias_gradient);

 private:
  template <typename T>
  torch::Tensor forward_any(const torch::Tensor& in, int64_t first_row);
  template <typename T>
  torch::Tensor expected_any(const torch::Tensor& vectors) const;
  template <typename T>
  torch::Tensor backward_any(const torch::Tensor& in, const RowLoss& loss, torch::Tensor& weight_gradient,
                             torch::Tensor& bias_gradient);
  template <typename T>
  void to_gradients(const RowLoss& loss, int64_t begin, int64_t end);

  template <typename T>
  void block_logits(const torch::Tensor& in, int64_t begin, int64_t end, T* logits) const;

  torch::Tensor weight_, bias_;
  torch::Tensor logits_;
  torch::Tensor log_sums_;
  // log_sums = largest + excess, [rows] each. Their sum has not the digits that P needs when logits are
  // large.
  torch::Tensor largest_, excess_;
};

}  // namespace otseq2set::inline autograd
