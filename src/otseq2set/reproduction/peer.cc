#include "otseq2set/reproduction/peer.h"

#include <fmt/format.h>

#include <algorithm>

#include "otseq2set/core/machine.h"
#include "otseq2set/evaluation/rule_search.h"
#include "otseq2set/inference/scored_dataset.h"
#include "otseq2set/reproduction/set_measures.h"

namespace otseq2set::inline reproduction {

namespace {

std::vector<int32_t> truth_of(const Dataset& data, size_t document) {
  return {data.labels(document).begin(), data.labels(document).end()};
}

std::vector<int32_t> first_labels(const std::vector<ScoredLabel>& ranking, size_t count) {
  std::vector<int32_t> labels;
  for (size_t i = 0; i < std::min(count, ranking.size()); ++i) labels.push_back(ranking[i].label);
  return labels;
}

size_t reaching(const std::vector<ScoredLabel>& ranking, float threshold) {
  return std::count_if(ranking.begin(), ranking.end(),
                       [&](const ScoredLabel& label) { return label.score >= threshold; });
}

// The number of labels for every document that gives the best micro-F1.
size_t best_k(const RankedDocuments& documents) {
  uint64_t truths = 0;
  std::vector<uint64_t> hits, predicted;  // [k - 1] at rank k
  for (size_t i = 0; i < documents.data.size(); ++i) {
    const std::vector<int32_t> truth = truth_of(documents.data, i);
    const auto& ranking = documents.rankings[i];
    truths += truth.size();
    hits.resize(std::max(hits.size(), ranking.size()));
    predicted.resize(hits.size());
    for (size_t rank = 0; rank < ranking.size(); ++rank) {
      ++predicted[rank];
      hits[rank] += std::find(truth.begin(), truth.end(), ranking[rank].label) != truth.end();
    }
  }
  size_t best = 1;
  double best_f1 = -1;
  uint64_t hits_so_far = 0, predicted_so_far = 0;
  for (size_t rank = 0; rank < hits.size(); ++rank) {
    hits_so_far += hits[rank];
    predicted_so_far += predicted[rank];
    const double f1 = 2.0 * static_cast<double>(hits_so_far) / static_cast<double>(predicted_so_far + truths);
    if (f1 > best_f1) best_f1 = f1, best = rank + 1;
  }
  return best;
}

// Below every score, which may be anything: probabilities, their logarithms, margins.
float below_all(const Rankings& rankings) {
  float lowest = 0;
  for (const auto& ranking : rankings) {
    if (!ranking.empty()) lowest = std::min(lowest, ranking.back().score);
  }
  return 2 * lowest;
}

float best_threshold(const RankedDocuments& documents, size_t labels) {
  RuleSearch search(labels, below_all(documents.rankings));
  for (size_t i = 0; i < documents.data.size(); ++i) {
    std::vector<RuleSearch::Candidate> candidates;
    for (const ScoredLabel& label : documents.rankings[i]) {
      candidates.push_back({label.label, label.score, false});
    }
    search.add(truth_of(documents.data, i), candidates);
  }
  return search.best(SetMeasure::kMicroF1).rule.threshold;
}

}  // namespace

RunResult measure_peer(const RankedDocuments& test, const std::optional<RankedDocuments>& valid, const Corpus& corpus,
                       const EvaluationConfig& evaluation) {
  const MetricsOptions options = metrics_options(corpus.labels, corpus.train.size(), evaluation);
  const RankedDocuments& chosen_on = valid ? *valid : test;
  const std::string where = valid ? "" : std::string(", ") + kChosenOnTest;
  const size_t k = best_k(chosen_on);
  const float threshold = best_threshold(chosen_on, options.labels);
  SetMeasures fixed("best k", fmt::format("the {} best{}", k, where), options);
  SetMeasures reached("best threshold", fmt::format("score of at least {:.4g}{}", threshold, where), options);
  Calibration calibration;
  bool probabilities = true;  // as far as one can see
  for (size_t i = 0; i < test.data.size(); ++i) {
    const std::vector<int32_t> truth = truth_of(test.data, i);
    const auto& ranking = test.rankings[i];
    const std::vector<int32_t> ranked = first_labels(ranking, ranking.size());
    fixed.add({truth, first_labels(ranking, k), ranked});
    reached.add({truth, first_labels(ranking, reaching(ranking, threshold)), ranked});
    for (const ScoredLabel& label : ranking) {
      probabilities = probabilities && label.score >= 0 && label.score <= 1.0001F;  // fastText rounds up
      calibration.add(label.score, std::find(truth.begin(), truth.end(), label.label) != truth.end());
    }
  }
  RunResult run;
  run.machine = machine_description();
  run.sets = {fixed.result(), reached.result()};
  run.at = fixed.rankings();
  if (probabilities) run.calibration = calibration.bins();
  return run;
}

}  // namespace otseq2set::inline reproduction
