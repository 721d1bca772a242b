// Adam (Kingma and Ba 2015) on all parameters at once, the same bits on any number of threads.
//
//   m = b1 m + (1 - b1) g,   v = b2 v + (1 - b2) g^2,   p -= rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t))
//   + eps)
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace otseq2set {

// sqrt of the sum of squares over all tensors (contiguous float32), summed in float64 in a fixed order.
double gradient_norm(const std::vector<torch::Tensor>& gradients);

class Adam {
 public:
  explicit Adam(std::vector<torch::Tensor> parameters);

  // Every gradient is multiplied by `scale` first (clipping).
  void step(const std::vector<torch::Tensor>& gradients, double rate, double scale);

  // For checkpoints.
  const std::vector<torch::Tensor>& first_moments() const { return first_; }
  const std::vector<torch::Tensor>& second_moments() const { return second_; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  std::vector<torch::Tensor> parameters_;
  std::vector<torch::Tensor> first_, second_;  // m and v, shaped like the parameters
  int64_t steps_ = 0;
};

}  // namespace otseq2set
