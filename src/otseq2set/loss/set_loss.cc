#include "otseq2set/loss/set_loss.h"

#include <cmath>

#include "otseq2set/loss/transport_loss.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline loss {

namespace {

// targets: [batch, steps] on the CPU.
void ask_for(const torch::Tensor& targets, const LabelSoftmax& softmax, double lambda_empty, double total_weight,
             BatchLoss& loss) {
  const int64_t batch = targets.size(0);
  loss.rows.targets.resize(softmax.rows());
  loss.rows.weights.resize(softmax.rows());
  for (int64_t row = 0; row < softmax.rows(); ++row) {
    const int64_t id = targets.accessor<int64_t, 2>()[row % batch][row / batch];
    loss.rows.targets[row] = id;
    loss.rows.weights[row] = (id == kEmptyLabel ? lambda_empty : 1) / total_weight;
    loss.matching -= loss.rows.weights[row] * softmax.log_probability(row, id);
  }
}

// Autograd gives the gradient of the distance, a function of the few numbers in x alone.
void add_transport(const LabelSoftmax& softmax, const torch::Tensor& label_vectors, const LabelSets& labels,
                   double lambda, BatchLoss& loss) {
  const auto batch = static_cast<int64_t>(labels.size());
  loss.rows.vectors = label_vectors.detach().contiguous();
  loss.rows.expected = softmax.expected_vectors(loss.rows.vectors);
  torch::AutoGradMode with_gradient(true);
  const torch::Tensor x = loss.rows.expected.detach().requires_grad_();
  const torch::Tensor by_document = x.view({softmax.rows() / batch, batch, x.size(1)}).transpose(0, 1);
  const torch::Tensor distance = transport_loss_sum(by_document, label_vectors, labels) / static_cast<double>(batch);
  loss.transport = distance.item<double>();
  loss.rows.vector_gradients = torch::autograd::grad({lambda * distance}, {x})[0].contiguous();
}

}  // namespace

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
        transport_loss_sum(torch::matmul(log_probabilities.exp(), label_vectors.detach()), label_vectors, labels) /
        counts.documents;
    loss.transport = distance.item<double>();
    loss.total = matching + config.lambda * distance;
  }
  return loss;
}

BatchLoss set_loss(LabelSoftmax& softmax, const torch::Tensor& label_vectors, const LabelSets& labels,
                   const LossConfig& config, bool transport) {
  const auto batch = static_cast<int64_t>(labels.size());
  const int64_t steps = softmax.rows() / batch;
  const auto probability = [&](int64_t document, int64_t step, int64_t label) {
    return std::exp(softmax.log_probability(step * batch + document, labels[document][label]));
  };
  const torch::Tensor targets = match_labels(probability, steps, labels, matching_scheme(config.scheme));
  BatchLoss loss;
  ask_for(targets, softmax, config.lambda_empty, set_loss_counts(labels, steps, config).weight, loss);
  loss.total = loss.matching;
  softmax.normalise();
  if (transport) {
    add_transport(softmax, label_vectors, labels, config.lambda, loss);
    loss.total += config.lambda * loss.transport;
  }
  return loss;
}

}  // namespace otseq2set::inline loss
