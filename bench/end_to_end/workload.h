// Documents and a network of a preset's sizes, with random values:
// what a benchmark of the whole model works on.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/corpus/dataset.h"
#include "otseq2set/model/network.h"
#include "otseq2set/training/adam.h"
#include "otseq2set/training/fused_step.h"

namespace otseq2set::bench {

struct Workload {
  Config config;
  Dataset data;
  std::vector<uint32_t> documents;  // one batch, longest first
  Network network{nullptr};

  // Lengths fall evenly from max_words to `shortest`; 0: all have max_words.
  explicit Workload(const Config& config, int64_t shortest = 0, int64_t labels_per_document = 5);

  int64_t words() const;  // of all documents of the batch
  std::vector<Span<const int32_t>> all_words() const;
};

// Uses LibTorch's operations, threaded, while it lives.
class PlainKernels {
 public:
  PlainKernels();
  ~PlainKernels();
  PlainKernels(const PlainKernels&) = delete;
  PlainKernels& operator=(const PlainKernels&) = delete;
};

// One training step, gradients and optimiser, with the fast kernels.
class FastStep {
 public:
  using Loss = std::function<BatchLoss(LabelSoftmax&, const TrainingBatch&)>;

  // With another loss than the configuration's where one is given.
  explicit FastStep(Workload& workload, Loss loss = {});
  void run();
  double loss();  // of the batch, without changing the parameters
  const StepTimes& times() const { return times_; }

 private:
  StepResult gradients();

  Workload& workload_;
  Loss loss_;
  Adam adam_;
  std::vector<torch::Tensor> gradients_;
  StepTimes times_;
};

// The same mathematics with LibTorch's own operations, which are threaded inside, and its optimiser.
class PlainStep {
 public:
  explicit PlainStep(Workload& workload);
  void run();
  double loss();  // of the batch, without changing the parameters

 private:
  torch::Tensor forward();

  Workload& workload_;
  torch::optim::Adam adam_;
};

}  // namespace otseq2set::bench
