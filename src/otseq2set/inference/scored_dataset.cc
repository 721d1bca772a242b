#include "otseq2set/inference/scored_dataset.h"

#include <algorithm>

#include "otseq2set/corpus/corpus.h"

namespace otseq2set::inline inference {

namespace {
constexpr size_t kTogether = 4096;
}  // namespace

Dataset read_dataset(const DataFiles& files, const ModelDescription& description) {
  const auto tokenizer = Tokenizer::make(description.config.text.tokenizer);
  return read_dataset(files, *tokenizer, description.words, description.labels, description.words_read());
}

void score_dataset(const Predictor& predictor, const Dataset& data, const ScoredDatasetOptions& options,
                   const std::function<void(size_t document, const ScoredDocument& scored)>& use) {
  for (size_t begin = 0; begin < data.size(); begin += kTogether) {
    const size_t end = std::min(begin + kTogether, data.size());
    std::vector<Span<const int32_t>> documents;
    for (size_t i = begin; i < end; ++i) documents.push_back(data.words(i));
    const auto scored = predictor.score(documents, options.k, options.floor);
    for (size_t i = begin; i < end; ++i) use(i, scored[i - begin]);
    if (options.progress) options.progress(end - begin);
  }
}

MetricsOptions metrics_options(const LabelVocabulary& labels, uint64_t documents, const EvaluationConfig& config) {
  const std::vector<uint64_t>& counts = labels.counts();
  return {labels.size(), {counts.begin(), counts.end()}, documents, config.propensity_a, config.propensity_b};
}

DocumentResult document_result(const Dataset& data, size_t document, const ScoredDocument& scored,
                               const SetRule& rule) {
  DocumentResult result{{data.labels(document).begin(), data.labels(document).end()}, scored.set(rule), {}};
  for (const ScoredLabel& label : scored.best) result.ranking.push_back(label.label);
  return result;
}

MetricsReport measure(const Predictor& predictor, const Dataset& data, const SetRule& rule,
                      const std::function<void(size_t)>& progress) {
  const ModelDescription& model = predictor.description();
  const MetricsOptions options = metrics_options(model.labels, model.data.documents, model.config.evaluation);
  Evaluator evaluator(options);
  const float floor = rule.kind == SetRule::Kind::kThreshold ? rule.threshold : 1;
  score_dataset(predictor, data, {static_cast<size_t>(options.ks.back()), floor, progress},
                [&](size_t document, const ScoredDocument& scored) {
                  evaluator.add(document_result(data, document, scored, rule));
                });
  return evaluator.report();
}

}  // namespace otseq2set::inline inference
