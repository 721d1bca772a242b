#include "otseq2set/loss/sequence_loss.h"

#include <algorithm>

#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline loss {

SequenceTargets sequence_targets(const LabelSequences& labels) {
  const auto batch = static_cast<int64_t>(labels.size());
  size_t longest = 0;
  for (const auto& sequence : labels) longest = std::max(longest, sequence.size());
  const auto steps = static_cast<int64_t>(longest) + 1;
  SequenceTargets targets{torch::full({batch, steps}, kEmptyLabel, torch::kInt64),
                          torch::full({batch, steps}, kEmptyLabel, torch::kInt64)};
  for (int64_t row = 0; row < batch; ++row) {
    int64_t* asked = targets.asked.data_ptr<int64_t>() + row * steps;
    int64_t* read = targets.read.data_ptr<int64_t>() + row * steps;
    asked = std::copy(labels[row].begin(), labels[row].end(), asked);
    *asked = kEndLabel;
    *read = kStartLabel;
    std::copy(labels[row].begin(), labels[row].end(), read + 1);
    targets.count += static_cast<double>(labels[row].size()) + 1;
  }
  return targets;
}

torch::Tensor sequence_loss(const torch::Tensor& logits, const SequenceTargets& targets, double count) {
  const torch::Tensor asked = targets.asked.to(logits.device());
  const torch::Tensor losses = -torch::log_softmax(logits, -1).gather(2, asked.unsqueeze(2)).squeeze(2);
  return losses.masked_fill(asked == kEmptyLabel, 0).sum() / count;
}

BatchLoss sequence_loss(LabelSoftmax& softmax, const SequenceTargets& targets) {
  const int64_t batch = targets.asked.size(0), steps = targets.asked.size(1);
  BatchLoss loss;
  int64_t row = 0;
  for (int64_t i = 0; i < steps * batch; ++i) {
    const int64_t id = targets.asked.accessor<int64_t, 2>()[i % batch][i / batch];
    if (id == kEmptyLabel) continue;
    loss.rows.targets.push_back(id);
    loss.rows.weights.push_back(1 / targets.count);
    loss.total -= softmax.log_probability(row++, id) / targets.count;
  }
  TORCH_INTERNAL_ASSERT(row == softmax.rows());
  softmax.normalise();
  return loss;
}

}  // namespace otseq2set::inline loss
