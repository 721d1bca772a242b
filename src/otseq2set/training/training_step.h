// Loss and gradient of one batch, on all cores and with the same bits on any number of them.
//
// Documents are encoded in shards of a fixed number, each whole on one thread. The decoder takes the whole
// batch at once (training/fused_step.h); where there is no fused decoder (on other devices, for SGM) a shard
// goes through the whole network with autograd instead (training/plain_step.h). The gradients of the shards
// are added in their order. Terms are divided by the whole batch's counts before, so the sum is exact.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/corpus/dataset.h"
#include "otseq2set/loss/matching_loss.h"
#include "otseq2set/model/network.h"

namespace otseq2set::inline training {

// One batch as a training step needs it.
struct TrainingBatch {
  std::vector<Span<const int32_t>> words;                     // of each document, longest first
  std::shared_ptr<const std::vector<int32_t>> altered_words;  // what `words` refers to where some are left out
  LabelSets labels;  // ids of each document in the order that the variant learns
  Dropout dropout;   // whose row 0 is the first document

  int64_t size() const { return static_cast<int64_t>(words.size()); }
  int64_t shards() const { return (size() + kShardDocuments - 1) / kShardDocuments; }
  // The documents of a shard as [first, last).
  int64_t first(int64_t shard) const { return shard * kShardDocuments; }
  int64_t last(int64_t shard) const { return std::min(first(shard) + kShardDocuments, size()); }
};

// The loss of a batch, or a sum or mean of several.
struct StepLoss {
  double total = 0, matching = 0, transport = 0;  // the sequence losses have the first only

  void add(const StepLoss& other) {
    total += other.total;
    matching += other.matching;
    transport += other.transport;
  }
};

// Seconds spent in the parts of a step, forward and backward together.
struct StepTimes {
  double encoder = 0;    // up to U h, LightConv included
  double decoder = 0;    // steps and output layer
  double loss = 0;       // softmax, matching, transport
  double optimiser = 0;  // clipping and Adam

  void add(const StepTimes& other) {
    encoder += other.encoder;
    decoder += other.decoder;
    loss += other.loss;
    optimiser += other.optimiser;
  }
};

constexpr StepLoss kNotFinite = {NAN, NAN, NAN};

struct StepResult {
  StepLoss loss;
  StepTimes times;
};

// documents: indexes into data, longest first; step numbers the training steps for dropout.
TrainingBatch training_batch(const Dataset& data, const std::vector<uint32_t>& documents, const Config& config,
                             uint64_t step);

// Replaces `gradients`, one for each of the network's parameters. Where the loss is not finite, it says so
// and the gradients are of no use.
StepResult compute_gradients(Network& network, const TrainingBatch& batch, const Config& config,
                             std::vector<torch::Tensor>& gradients);

}  // namespace otseq2set::inline training
