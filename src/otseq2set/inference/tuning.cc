#include "otseq2set/inference/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "otseq2set/inference/scored_dataset.h"

namespace otseq2set::inline inference {

namespace {

// The greedy set, and the other labels that reach the floor.
std::vector<RuleSearch::Candidate> candidates_of(const ScoredDocument& scored) {
  std::vector<RuleSearch::Candidate> candidates;
  for (const ScoredLabel& label : scored.greedy) candidates.push_back({label.label, label.score, true});
  for (const ScoredLabel& label : scored.best) {
    const bool greedy = std::any_of(scored.greedy.begin(), scored.greedy.end(),
                                    [&](const ScoredLabel& other) { return other.label == label.label; });
    if (!greedy) candidates.push_back({label.label, label.score, false});
  }
  return candidates;
}

}  // namespace

TunedRule tune(const Predictor& predictor, const Dataset& data, const std::string& measure,
               const std::function<void(size_t)>& progress) {
  const SetMeasure parsed = parse_set_measure(measure);
  RuleSearch search(predictor.labels().size(), kLeastThreshold);
  score_dataset(predictor, data, {0, kLeastThreshold, progress}, [&](size_t document, const ScoredDocument& scored) {
    const auto labels = data.labels(document);
    search.add({labels.begin(), labels.end()}, candidates_of(scored));
  });
  const RuleSearch::Found found = search.best(parsed);
  return {found.rule, measure, found.value, found.greedy_value, data.size()};
}

bool join_models(const ModelFolder& folder, const Dataset& data) {
  if (!std::filesystem::exists(folder.linear()) || std::filesystem::exists(folder.joining())) return false;
  std::vector<Span<const int32_t>> documents, truths;
  for (size_t i = 0; i < data.size(); ++i) {
    documents.push_back(data.words(i));
    truths.push_back(data.labels(i));
  }
  save_joining(folder, Predictor(folder).fit_joining(documents, truths));
  return true;
}

std::string describe(const TunedRule& tuned) {
  return fmt::format("{}: {} {:.4f} on {} documents (greedy: {:.4f})", describe(tuned.rule), tuned.measure, tuned.value,
                     tuned.documents, tuned.greedy_value);
}

}  // namespace otseq2set::inline inference
