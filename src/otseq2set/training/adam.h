// Adam (Kingma and Ba 2015) on all parameters at once, the same bits on any number of threads.
//
//   m = b1 m + (1 - b1) g,   v = b2 v + (1 - b2) g^2
//   p -= rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
//
// Moments below 1e-30 become 0. What they would add to a parameter is far below its last bit; without this,
// those of parameters that get no more gradients end in denormals, which are slow, and stay there for ever.
//
// Rows of a table of which a batch uses few may be treated lazily: a row whose gradient is all zero keeps its
// parameters and both moments as they are. Dense Adam would let the moments fade and move the row a little
// further in its old direction. b1^t and b2^t count all steps, also those that left a row alone.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace otseq2set::inline training {

// sqrt of the sum of squares over all tensors, summed in float64 in a fixed order.
// On the CPU they are contiguous float32.
double gradient_norm(const std::vector<torch::Tensor>& gradients);

class Adam {
 public:
  // lazy: those of the parameters, [rows, ...], whose rows are treated lazily.
  explicit Adam(std::vector<torch::Tensor> parameters, const std::vector<torch::Tensor>& lazy = {});

  // Every gradient is multiplied by `scale` first (clipping).
  void step(const std::vector<torch::Tensor>& gradients, double rate, double scale);

  // For checkpoints.
  const std::vector<torch::Tensor>& first_moments() const { return first_; }
  const std::vector<torch::Tensor>& second_moments() const { return second_; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  std::vector<torch::Tensor> parameters_;
  std::vector<bool> lazy_;
  std::vector<torch::Tensor> first_, second_;  // m and v, shaped like the parameters
  int64_t steps_ = 0;
};

}  // namespace otseq2set::inline training
