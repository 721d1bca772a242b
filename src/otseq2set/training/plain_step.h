// A training step through the whole network with autograd, shard by shard; see training/training_step.h.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "otseq2set/training/training_step.h"

namespace otseq2set::inline training {

StepResult plain_step(Network& network, const TrainingBatch& batch, const Config& config,
                      std::vector<torch::Tensor>& gradients);

}  // namespace otseq2set::inline training
