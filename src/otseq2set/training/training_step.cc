#include "otseq2set/training/training_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "otseq2set/core/threads.h"
#include "otseq2set/loss/set_loss.h"
#include "otseq2set/model/ids.h"

namespace otseq2set {

namespace {

struct ShardResult {
  StepLoss loss;
  std::vector<torch::Tensor> gradients;  // undefined where a parameter took no part
};

bool is_finite(const torch::Tensor& value) { return std::isfinite(value.item<double>()); }

// What is not finite has neither an assignment nor a transport plan; the loss then says so, and the trainer
// stops.
StepLoss not_finite() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, nan, nan};
}

// Whether the products of norms in the transport cost stay finite.
bool has_finite_costs(const torch::Tensor& label_vectors) {
  const torch::Tensor largest = label_vectors.detach().norm(2, -1).max();
  return is_finite(largest * largest);
}

ShardResult run_shard(Network& network, const Batch& batch, const LabelSets& labels,
                      const SetLossCounts& counts, const Config& config, const Dropout& dropout,
                      const std::vector<torch::Tensor>& parameters) {
  torch::AutoGradMode with_gradient(true);
  const Decoded decoded = network->decode(batch, config.model.steps, dropout);
  if (!is_finite(decoded.logits.detach().abs().max())) return {not_finite(), {}};
  const SetLoss loss = set_loss(decoded.logits, network->label_vectors(), labels, counts, config.loss,
                                variant_of(config).transport);
  return {{loss.total.item<double>(), loss.matching, loss.transport},
          torch::autograd::grad({loss.total}, parameters, {}, c10::nullopt, false, /*allow_unused=*/true)};
}

}  // namespace

std::vector<int64_t> label_ids(const Dataset& data, size_t document) {
  std::vector<int64_t> ids;
  for (int32_t label : data.labels(document)) ids.push_back(label + kFirstLabel);
  std::sort(ids.begin(), ids.end());
  return ids;
}

StepLoss add_gradients(Network& network, const Dataset& data, const std::vector<uint32_t>& documents,
                       const Config& config, uint64_t step, std::vector<torch::Tensor>& gradients) {
  LabelSets labels;
  for (uint32_t document : documents) labels.push_back(label_ids(data, document));
  const SetLossCounts counts = set_loss_counts(labels, config.model.steps, config.loss);
  const std::vector<torch::Tensor> parameters = network->parameters();
  if (variant_of(config).transport && !has_finite_costs(network->label_vectors())) return not_finite();
  const int64_t least_words = receptive_field(config.model.light_conv);
  const auto size = static_cast<int64_t>(documents.size());
  StepLoss sum;

  auto shard = [&](int64_t index) {
    const int64_t begin = index * kShardDocuments, end = std::min(begin + kShardDocuments, size);
    std::vector<Span<const int32_t>> words;
    for (int64_t i = begin; i < end; ++i) words.push_back(data.words(documents[i]));
    const LabelSets own_labels(labels.begin() + begin, labels.begin() + end);
    const Dropout dropout(config.model.dropout, config.training.seed, step, begin);
    return run_shard(network, make_batch(words, least_words, network->device()), own_labels, counts, config,
                     dropout, parameters);
  };
  auto add = [&](int64_t, const ShardResult& result) {
    torch::NoGradGuard no_gradient;
    sum.total += result.loss.total;
    sum.matching += result.loss.matching;
    sum.transport += result.loss.transport;
    for (size_t i = 0; i < result.gradients.size(); ++i) {
      if (result.gradients[i].defined()) gradients[i].add_(result.gradients[i]);
    }
  };
  parallel_for_ordered((size + kShardDocuments - 1) / kShardDocuments, shard, add);
  return sum;
}

}  // namespace otseq2set
