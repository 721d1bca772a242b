#include "otseq2set/training/plain_step.h"

#include <cmath>

#include "otseq2set/core/threads.h"
#include "otseq2set/loss/sequence_loss.h"
#include "otseq2set/loss/set_loss.h"

namespace otseq2set::inline training {

namespace {

// What the losses of the shards are divided by.
struct Counts {
  SetLossCounts sets;
  double targets = 0;
};

Counts counts_of(const TrainingBatch& batch, const Config& config) {
  if (variant_of(config).sequence) return {{}, sequence_targets(batch.labels).count};
  return {set_loss_counts(batch.labels, config.model.steps, config.loss), 0};
}

struct ShardLoss {
  torch::Tensor total;
  StepLoss values;
};

ShardLoss sequence_shard(Network& network, const Batch& batch, const LabelSets& labels, double count,
                         const Dropout& dropout) {
  const SequenceTargets targets = sequence_targets(labels);
  const torch::Tensor read = targets.read.to(network->device());
  const torch::Tensor loss = sequence_loss(network->decode_forced(batch, read, dropout).logits, targets, count);
  return {loss, {loss.item<double>(), 0, 0}};
}

ShardLoss set_shard(Network& network, const Batch& batch, const LabelSets& labels, const SetLossCounts& counts,
                    const Config& config, const Dropout& dropout) {
  const Decoded decoded = network->decode(batch, config.model.steps, dropout);
  if (!std::isfinite(decoded.logits.detach().abs().max().item<double>())) return {{}, kNotFinite};
  const SetLoss loss =
      set_loss(decoded.logits, network->label_vectors(), labels, counts, config.loss, variant_of(config).transport);
  return {loss.total, {loss.total.item<double>(), loss.matching, loss.transport}};
}

struct ShardResult {
  StepLoss loss;
  std::vector<torch::Tensor> gradients;  // undefined where a parameter took no part
};

}  // namespace

StepResult plain_step(Network& network, const TrainingBatch& batch, const Config& config,
                      std::vector<torch::Tensor>& gradients) {
  const Counts counts = counts_of(batch, config);
  const std::vector<torch::Tensor> parameters = network->parameters();
  const int64_t least_words = receptive_field(config.model.light_conv);
  for (torch::Tensor& gradient : gradients) gradient.zero_();
  StepResult result;

  auto shard = [&](int64_t index) -> ShardResult {
    torch::AutoGradMode with_gradient(true);
    const int64_t first = batch.first(index), last = batch.last(index);
    const Batch own =
        make_batch({batch.words.begin() + first, batch.words.begin() + last}, least_words, network->device());
    const LabelSets labels(batch.labels.begin() + first, batch.labels.begin() + last);
    const Dropout dropout = batch.dropout.from_row(first);
    const ShardLoss loss = variant_of(config).sequence ? sequence_shard(network, own, labels, counts.targets, dropout)
                                                       : set_shard(network, own, labels, counts.sets, config, dropout);
    if (!loss.total.defined()) return {loss.values, {}};
    return {loss.values, torch::autograd::grad({loss.total}, parameters, {}, {}, false, /*allow_unused=*/true)};
  };
  auto add = [&](int64_t, const ShardResult& own) {
    torch::NoGradGuard no_gradient;
    result.loss.add(own.loss);
    for (size_t i = 0; i < own.gradients.size(); ++i) {
      if (own.gradients[i].defined()) gradients[i].add_(own.gradients[i]);
    }
  };
  parallel_for_ordered(batch.shards(), shard, add);
  return result;
}

}  // namespace otseq2set::inline training
