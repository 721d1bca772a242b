#include "otseq2set/loss/matching_loss.h"

#include <algorithm>
#include <string>

#include "otseq2set/core/threads.h"
#include "otseq2set/loss/assignment.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline loss {

namespace {

// P[step, label] of the labels of each document, [batch, steps, most labels] float64 on the CPU.
torch::Tensor label_probabilities(const torch::Tensor& log_probabilities, const LabelSets& labels) {
  int64_t most = 1;
  for (const auto& set : labels) most = std::max<int64_t>(most, set.size());
  const int64_t rows = log_probabilities.size(0), steps = log_probabilities.size(1);
  torch::Tensor ids = torch::full({rows, 1, most}, kEmptyLabel, torch::kInt64);
  for (int64_t row = 0; row < rows; ++row) {
    std::copy(labels[row].begin(), labels[row].end(), ids.data_ptr<int64_t>() + row * most);
  }
  ids = ids.expand({rows, steps, most}).to(log_probabilities.device());
  return log_probabilities.detach().gather(2, ids).to(torch::kCPU, torch::kFloat64).exp().contiguous();
}

}  // namespace

MatchingScheme matching_scheme(const std::string& name) {
  return name == "first_n" ? MatchingScheme::kFirstN : MatchingScheme::kAll;
}

torch::Tensor match_labels(const StepProbability& probability, int64_t steps, const LabelSets& labels,
                           MatchingScheme scheme) {
  const auto rows = static_cast<int64_t>(labels.size());
  torch::Tensor targets = torch::full({rows, steps}, kEmptyLabel, torch::kInt64);
  parallel_for(rows, [&](int64_t row) {
    const auto count = static_cast<int64_t>(labels[row].size());
    const int64_t used_steps = scheme == MatchingScheme::kFirstN ? std::min(count, steps) : steps;
    std::vector<double> score(count * used_steps);  // [labels, steps]: each label gets at most one step
    for (int64_t label = 0; label < count; ++label) {
      for (int64_t step = 0; step < used_steps; ++step)
        score[label * used_steps + step] = probability(row, step, label);
    }
    const std::vector<int> step_of = assign(score.data(), static_cast<int>(count), static_cast<int>(used_steps));
    for (int64_t label = 0; label < count; ++label) {
      if (step_of[label] >= 0) targets.data_ptr<int64_t>()[row * steps + step_of[label]] = labels[row][label];
    }
  });
  return targets;
}

torch::Tensor match_labels(const torch::Tensor& log_probabilities, const LabelSets& labels, MatchingScheme scheme) {
  const torch::Tensor probabilities = label_probabilities(log_probabilities, labels);
  const auto values = probabilities.accessor<double, 3>();
  const auto probability = [&](int64_t row, int64_t step, int64_t label) { return values[row][step][label]; };
  return match_labels(probability, log_probabilities.size(1), labels, scheme);
}

torch::Tensor matching_loss_sum(const torch::Tensor& log_probabilities, const torch::Tensor& targets,
                                double lambda_empty) {
  const torch::Tensor ids = targets.to(log_probabilities.device());
  const torch::Tensor weights = torch::ones_like(ids, log_probabilities.options())
                                    .masked_fill(ids == kEmptyLabel, lambda_empty);  // [batch, steps]
  return -(weights * log_probabilities.gather(2, ids.unsqueeze(2)).squeeze(2)).sum();
}

double matching_weight(size_t labels, int64_t steps, double lambda_empty) {
  const int64_t matched = std::min<int64_t>(static_cast<int64_t>(labels), steps);
  return static_cast<double>(matched) + lambda_empty * static_cast<double>(steps - matched);
}

}  // namespace otseq2set::inline loss
