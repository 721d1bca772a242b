#include "otseq2set/evaluation/rule_search.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "otseq2set/core/error.h"

namespace otseq2set::inline evaluation {

namespace {

double f1(uint32_t hits, uint32_t predicted, uint32_t truths) {
  return predicted + truths == 0 ? 0 : 2.0 * hits / (static_cast<double>(predicted) + truths);
}

// Between the two, and above `low` even when no number lies between them.
float halfway(float low, float high) {
  const float middle = low + (high - low) / 2;
  return middle > low ? middle : high;
}

// One measure of sets that grow label by label.
class RunningMeasure {
 public:
  RunningMeasure(SetMeasure measure, const std::vector<uint32_t>& document_truths,
                 const std::vector<uint32_t>& label_truths)
      : measure_(measure) {
    const auto& truths = measure == SetMeasure::kExampleF1 ? document_truths : label_truths;
    if (measure != SetMeasure::kMicroF1) {
      for (const uint32_t count : truths) counts_.push_back({count, 0, 0});
    }
    for (const uint32_t count : document_truths) total_.truths += count;
  }

  void add(uint32_t document, int32_t label, bool is_true) {
    ++total_.predicted;
    total_.hits += is_true;
    if (measure_ == SetMeasure::kMicroF1) return;
    Counts& counts = counts_[measure_ == SetMeasure::kExampleF1 ? document : static_cast<uint32_t>(label)];
    const double weight = measure_ == SetMeasure::kWeightedF1 ? counts.truths : 1;
    sum_ -= weight * f1(counts.hits, counts.predicted, counts.truths);
    ++counts.predicted;
    counts.hits += is_true;
    sum_ += weight * f1(counts.hits, counts.predicted, counts.truths);
  }

  double value() const {
    if (measure_ == SetMeasure::kMicroF1) return f1(total_.hits, total_.predicted, total_.truths);
    const double divisor = measure_ == SetMeasure::kWeightedF1 ? total_.truths : static_cast<double>(counts_.size());
    return divisor == 0 ? 0 : sum_ / divisor;
  }

 private:
  struct Counts {
    uint32_t truths = 0, predicted = 0, hits = 0;
  };

  SetMeasure measure_;
  Counts total_;
  std::vector<Counts> counts_;  // of each document or label; none for micro-F1
  double sum_ = 0;              // of the weighted F1 of all
};

}  // namespace

const std::vector<std::string>& set_measure_names() {
  static const std::vector<std::string> kNames = {"micro-F1", "macro-F1", "weighted-F1", "example-F1"};
  return kNames;
}

SetMeasure parse_set_measure(const std::string& name) {
  const auto& names = set_measure_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) fail_usage("unknown measure '{}'; the measures are {}", name, fmt::join(names, ", "));
  return static_cast<SetMeasure>(found - names.begin());
}

void RuleSearch::add(const std::vector<int32_t>& truth, const std::vector<Candidate>& candidates) {
  const auto document = static_cast<uint32_t>(document_truths_.size());
  document_truths_.push_back(static_cast<uint32_t>(truth.size()));
  for (const int32_t label : truth) {
    if (static_cast<size_t>(label) >= label_truths_.size()) label_truths_.resize(label + 1);
    ++label_truths_[label];
  }
  for (const Candidate& candidate : candidates) {
    const bool is_true = std::find(truth.begin(), truth.end(), candidate.label) != truth.end();
    entries_.push_back({candidate.score, document, candidate.label, candidate.greedy, is_true});
  }
}

RuleSearch::Found RuleSearch::best(SetMeasure measure) const {
  RunningMeasure greedy(measure, document_truths_, label_truths_);
  for (const Entry& entry : entries_) {
    if (entry.greedy) greedy.add(entry.document, entry.label, entry.is_true);
  }
  Found best{{}, greedy.value(), greedy.value()};
  for (const auto kind : {SetRule::Kind::kGreedyThreshold, SetRule::Kind::kThreshold}) {
    const Found found = best_threshold(kind, measure);
    if (found.value > best.value) best = {found.rule, found.value, best.greedy_value};
  }
  return best;
}

RuleSearch::Found RuleSearch::best_threshold(SetRule::Kind kind, SetMeasure measure) const {
  std::vector<Entry> entries;
  for (const Entry& entry : entries_) {
    if (entry.score >= floor_ && (kind == SetRule::Kind::kThreshold || entry.greedy)) entries.push_back(entry);
  }
  // By document and label too, so that sums of the measure are made in one order only.
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.document != b.document ? a.document < b.document : a.label < b.label;
  });
  RunningMeasure running(measure, document_truths_, label_truths_);
  Found best{{kind, 1}, -1, 0};
  for (size_t i = 0; i < entries.size(); ++i) {
    running.add(entries[i].document, entries[i].label, entries[i].is_true);
    const float next = i + 1 < entries.size() ? entries[i + 1].score : floor_;
    if ((i + 1 < entries.size() && next == entries[i].score) || running.value() <= best.value) continue;
    best.value = running.value();
    best.rule.threshold = halfway(next, entries[i].score);
  }
  return best;
}

}  // namespace otseq2set::inline evaluation
