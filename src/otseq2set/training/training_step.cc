#include "otseq2set/training/training_step.h"

#include <algorithm>
#include <cmath>

#include "otseq2set/core/random.h"
#include "otseq2set/loss/sequence_loss.h"
#include "otseq2set/loss/set_loss.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/text/vocabulary.h"
#include "otseq2set/training/fused_step.h"
#include "otseq2set/training/plain_step.h"

namespace otseq2set::inline training {

namespace {

// The order of a set cannot matter, so that of the ids is taken, which is also that from frequent to rare.
std::vector<int64_t> label_ids(Span<const int32_t> labels, const Variant& variant) {
  std::vector<int64_t> ids;
  for (int32_t label : labels) ids.push_back(label + kFirstLabel);
  if (!variant.sequence || variant.by_frequency) std::sort(ids.begin(), ids.end());
  return ids;
}

// Whether the products of norms in the transport cost stay finite. What is not has neither an assignment nor
// a transport plan.
bool has_finite_costs(const torch::Tensor& label_vectors) {
  const auto largest = label_vectors.detach().norm(2, -1).max().item<double>();
  return std::isfinite(static_cast<float>(largest * largest));
}

// Some words become unknown, so that no label depends on one word alone.
void drop_words(TrainingBatch& batch, double rate, uint64_t seed, uint64_t step) {
  std::vector<int32_t> altered;
  for (size_t row = 0; row < batch.words.size(); ++row) {
    RandomStream random(seed, "word dropout", {step, row});
    for (const int32_t word : batch.words[row]) altered.push_back(random.uniform() < rate ? kUnknownWord : word);
  }
  batch.altered_words = std::make_shared<const std::vector<int32_t>>(std::move(altered));
  const int32_t* next = batch.altered_words->data();
  for (auto& document : batch.words) {
    document = {next, document.size()};
    next += document.size();
  }
}

}  // namespace

TrainingBatch training_batch(const Dataset& data, const std::vector<uint32_t>& documents, const Config& config,
                             uint64_t step) {
  TrainingBatch batch;
  for (uint32_t document : documents) {
    batch.words.push_back(data.words(document));
    batch.labels.push_back(label_ids(data.labels(document), variant_of(config)));
  }
  if (config.training.word_dropout > 0) drop_words(batch, config.training.word_dropout, config.training.seed, step);
  batch.dropout = Dropout(config.model.dropout, config.training.seed, step, 0);
  return batch;
}

StepResult compute_gradients(Network& network, const TrainingBatch& batch, const Config& config,
                             std::vector<torch::Tensor>& gradients) {
  const Variant& variant = variant_of(config);
  if (variant.transport && !has_finite_costs(network->label_vectors())) return {kNotFinite, {}};
  if (!network->decoder()->has_fused()) return plain_step(network, batch, config, gradients);
  if (variant.sequence) {
    const SequenceTargets targets = sequence_targets(batch.labels);
    return fused_step(
        network, batch, config, targets.read.t(),
        [&](LabelSoftmax& softmax) { return sequence_loss(softmax, targets); }, gradients);
  }
  const auto loss = [&](LabelSoftmax& softmax) {
    return set_loss(softmax, network->label_vectors(), batch.labels, config.loss, variant.transport);
  };
  return fused_step(network, batch, config, {}, loss, gradients);
}

}  // namespace otseq2set::inline training
