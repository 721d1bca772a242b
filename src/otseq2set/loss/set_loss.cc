#include "otseq2set/loss/set_loss.h"

#include "otseq2set/loss/transport_loss.h"

namespace otseq2set {

SetLossCounts set_loss_counts(const LabelSets& labels, int64_t steps, const LossConfig& config) {
  SetLossCounts counts;
  for (const auto& set : labels) counts.weight += matching_weight(set.size(), steps, config.lambda_empty);
  counts.documents = static_cast<double>(labels.size());
  return counts;
}

SetLoss set_loss(const torch::Tensor& logits, const torch::Tensor& label_vectors, const LabelSets& labels,
                 const SetLossCounts& counts, const LossConfig& config, bool transport) {
  const torch::Tensor log_probabilities = torch::log_softmax(logits, -1);
  SetLoss loss;
  loss.targets = match_labels(log_probabilities, labels, matching_scheme(config.scheme));
  const torch::Tensor matching =
      matching_loss_sum(log_probabilities, loss.targets, config.lambda_empty) / counts.weight;
  loss.matching = matching.item<double>();
  loss.total = matching;
  if (transport) {
    const torch::Tensor distance =
        transport_loss_sum(log_probabilities, label_vectors, labels) / counts.documents;
    loss.transport = distance.item<double>();
    loss.total = matching + config.lambda * distance;
  }
  return loss;
}

}  // namespace otseq2set
