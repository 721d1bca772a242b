// A training step in phases: the shards are encoded, the decoder takes the whole batch at once, the shards
// get their gradients back; see training/training_step.h.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <vector>

#include "otseq2set/loss/batch_loss.h"
#include "otseq2set/training/training_step.h"

namespace otseq2set::inline training {

// Called once all logits of the batch are there.
using LossOfLogits = std::function<BatchLoss(LabelSoftmax&)>;

// read: the labels that each step reads [steps, batch], or undefined: model.steps steps, each reading the
// best id of the one before.
StepResult fused_step(Network& network, const TrainingBatch& batch, const Config& config, const torch::Tensor& read,
                      const LossOfLogits& loss, std::vector<torch::Tensor>& gradients);

}  // namespace otseq2set::inline training
