#include "otseq2set/evaluation/metrics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <utility>

#include "otseq2set/core/error.h"

namespace otseq2set::inline evaluation {

namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

double discount(size_t rank) { return 1.0 / std::log2(static_cast<double>(rank) + 1.0); }  // rank from 1

std::vector<int32_t> sorted_set(std::vector<int32_t> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  assert(labels.empty() || labels.front() >= 0);
  return labels;
}

bool contains(const std::vector<int32_t>& sorted, int32_t label) {
  return std::binary_search(sorted.begin(), sorted.end(), label);
}

bool is_distinct(const std::vector<int32_t>& labels) { return sorted_set(labels).size() == labels.size(); }

// ln N - 1 is negative for N < 3, see the header.
double propensity_constant(const MetricsOptions& options) {
  if (options.training_documents < 3) return 0.0;
  const double log_documents = std::log(static_cast<double>(options.training_documents));
  return (log_documents - 1.0) * std::pow(options.propensity_b + 1.0, options.propensity_a);
}

void check(const MetricsOptions& options) {
  if (!(options.propensity_a >= 0 && std::isfinite(options.propensity_a))) {
    fail_usage("propensity a is {}, but must be at least 0", options.propensity_a);
  }
  if (!(options.propensity_b > 0 && std::isfinite(options.propensity_b))) {
    fail_usage("propensity b is {}, but must be above 0", options.propensity_b);
  }
  for (int k : options.ks) {
    if (k < 1) fail_usage("metrics at k = {}: k must be at least 1", k);
  }
  assert(options.training_counts.empty() || options.training_counts.size() == options.labels);
}

}  // namespace

Evaluator::Evaluator(MetricsOptions options)
    : options_((check(options), std::move(options))),
      propensity_c_(propensity_constant(options_)),
      known_(options_.labels),
      sums_(options_.ks.size()) {}

void Evaluator::add(const DocumentResult& document) {
  assert(is_distinct(document.ranking));
  const std::vector<int32_t> truth = sorted_set(document.truth);
  ++documents_;
  add_sets(truth, sorted_set(document.predicted));
  add_ranking(truth, document.ranking);
}

void Evaluator::add_sets(const std::vector<int32_t>& truth, const std::vector<int32_t>& predicted) {
  uint64_t hits = 0;
  for (int32_t label : truth) ++counts(label).truths;
  for (int32_t label : predicted) {
    Counts& of_label = counts(label);
    ++of_label.predictions;
    if (!contains(truth, label)) continue;
    ++of_label.hits;
    ++hits;
  }
  total_.truths += truth.size();
  total_.predictions += predicted.size();
  total_.hits += hits;
  if (truth.empty() && predicted.empty()) ++documents_with_neither_;
  example_f1_ += ratio(2.0 * hits, truth.size() + predicted.size());
}

void Evaluator::add_ranking(const std::vector<int32_t>& truth, const std::vector<int32_t>& ranking) {
  std::vector<double> best;  // 1 / p of the true labels, as the best ranking has them
  for (int32_t label : truth) best.push_back(inverse_propensity(label));
  std::sort(best.begin(), best.end(), std::greater<>());

  for (size_t i = 0; i < options_.ks.size(); ++i) {
    const size_t k = static_cast<size_t>(options_.ks[i]);
    RankingSums& sums = sums_[i];
    double hits = 0, dcg = 0, best_dcg = 0;
    for (size_t rank = 1; rank <= std::min(k, ranking.size()); ++rank) {
      const int32_t label = ranking[rank - 1];
      if (!contains(truth, label)) continue;
      hits += 1;
      dcg += discount(rank);
      sums.psp += inverse_propensity(label) / k;
      sums.psdcg += inverse_propensity(label) * discount(rank);
    }
    for (size_t rank = 1; rank <= std::min(k, best.size()); ++rank) {
      best_dcg += discount(rank);
      sums.best_psp += best[rank - 1] / k;
      sums.best_psdcg += best[rank - 1] * discount(rank);
    }
    sums.precision += hits / k;
    sums.recall += ratio(hits, truth.size());
    sums.ndcg += ratio(dcg, best_dcg);
  }
}

Evaluator::Counts& Evaluator::counts(int32_t label) {
  return static_cast<size_t>(label) < known_.size() ? known_[label] : other_[label];
}

double Evaluator::inverse_propensity(int32_t label) const {
  const bool counted = static_cast<size_t>(label) < options_.training_counts.size();
  const double documents = counted ? options_.training_counts[label] : 0.0;
  return 1.0 + propensity_c_ * std::pow(documents + options_.propensity_b, -options_.propensity_a);
}

MetricsReport Evaluator::report() const {
  MetricsReport report;
  report_sets(report);
  report_labels(report);
  report_rankings(report);
  return report;
}

void Evaluator::report_sets(MetricsReport& report) const {
  const double documents = static_cast<double>(documents_);
  report.documents = documents_;
  report.documents_with_neither = documents_with_neither_;
  report.mean_true_labels = ratio(total_.truths, documents);
  report.mean_predicted_labels = ratio(total_.predictions, documents);
  report.micro_p = ratio(total_.hits, total_.predictions);
  report.micro_r = ratio(total_.hits, total_.truths);
  report.micro_f1 = ratio(2.0 * total_.hits, total_.predictions + total_.truths);
  report.example_f1 = ratio(example_f1_, documents);
}

void Evaluator::report_labels(MetricsReport& report) const {
  double universe = 0, f1_sum = 0, weighted_sum = 0;
  const auto add_row = [&](int32_t label, const Counts& counts) {
    LabelMetrics row{label, counts.truths, counts.predictions, counts.hits};
    row.precision = ratio(row.hits, row.predictions);
    row.recall = ratio(row.hits, row.truths);
    row.f1 = ratio(2.0 * row.hits, row.predictions + row.truths);
    f1_sum += row.f1;
    weighted_sum += row.f1 * row.truths;
    if (static_cast<size_t>(label) < known_.size() || row.truths > 0) universe += 1;
    report.per_label.push_back(row);
  };
  report.per_label.reserve(known_.size() + other_.size());
  for (size_t label = 0; label < known_.size(); ++label) add_row(static_cast<int32_t>(label), known_[label]);
  for (const auto& [label, counts] : other_) add_row(label, counts);
  report.macro_f1 = ratio(f1_sum, universe);
  report.weighted_f1 = ratio(weighted_sum, total_.truths);
}

void Evaluator::report_rankings(MetricsReport& report) const {
  const double documents = static_cast<double>(documents_);
  for (size_t i = 0; i < sums_.size(); ++i) {
    const RankingSums& sums = sums_[i];
    report.at.push_back({options_.ks[i], ratio(sums.precision, documents), ratio(sums.recall, documents),
                         ratio(sums.ndcg, documents), ratio(sums.psp, sums.best_psp),
                         ratio(sums.psdcg, sums.best_psdcg)});
  }
}

}  // namespace otseq2set::inline evaluation
