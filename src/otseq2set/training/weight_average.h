// A moving average of the parameters over the steps of training (Polyak and Juditsky 1992): less noisy than the last ones.
//
//   average = d average + (1 - d) parameters,   d = min(decay, (1 + t) / (10 + t)) at step t
//
// so that it forgets its start early. The same bits on any number of threads.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace otseq2set::inline training {

class WeightAverage {
 public:
  // Begins with the parameters as they are.
  WeightAverage(std::vector<torch::Tensor> parameters, double decay);

  // After step t of training, from 1.
  void step(int64_t t);

  // What is averaged and the average change places. Twice, and all is as it was.
  void swap();

  // For checkpoints; shaped like the parameters.
  const std::vector<torch::Tensor>& values() const { return values_; }

 private:
  std::vector<torch::Tensor> parameters_, values_;
  double decay_;
};

}  // namespace otseq2set::inline training
