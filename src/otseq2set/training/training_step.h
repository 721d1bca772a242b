// Loss and gradient of one batch, on all cores and with the same bits on any number of them.
//
// The batch is cut into shards of a fixed number of documents. Each runs whole on one thread; their gradients
// are added in the order of the shards. Terms are divided by the whole batch's counts before, so the sum is
// exact.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/data/dataset.h"
#include "otseq2set/loss/matching_loss.h"
#include "otseq2set/model/network.h"
#include "otseq2set/training/step_loss.h"

namespace otseq2set {

constexpr int64_t kShardDocuments = 8;

// Label ids of a document for the set losses: ascending, so that their order in the file cannot matter.
std::vector<int64_t> label_ids(const Dataset& data, size_t document);

// documents: indexes into data, longest first; step numbers the training steps for dropout. Adds to
// `gradients` (one per network parameter, zeroed by the caller).
StepLoss add_gradients(Network& network, const Dataset& data, const std::vector<uint32_t>& documents,
                       const Config& config, uint64_t step, std::vector<torch::Tensor>& gradients);

}  // namespace otseq2set
