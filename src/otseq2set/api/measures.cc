#include "otseq2set/measures.h"

#include <unordered_set>

#include "otseq2set/api/quality.h"
#include "otseq2set/core/error.h"

namespace otseq2set::inline v1 {

namespace {

MetricsOptions metrics_options(const QualityOptions& options) {
  if (!options.training_counts.empty() && options.training_counts.size() != options.labels) {
    fail_usage("there are {} labels, but training counts for {}", options.labels, options.training_counts.size());
  }
  return {options.labels,       options.training_counts, options.training_documents,
          options.propensity_a, options.propensity_b,    options.ks};
}

void check(const JudgedDocument& document) {
  for (const auto* labels : {&document.truth, &document.predicted, &document.ranking}) {
    for (const int32_t label : *labels) {
      if (label < 0) fail_usage("a label has the number {}, but they start at 0", label);
    }
  }
  if (std::unordered_set(document.ranking.begin(), document.ranking.end()).size() != document.ranking.size()) {
    fail_usage("a label occurs twice in a ranking");
  }
}

}  // namespace

struct __attribute__((visibility("hidden"))) QualityMeter::Sums {
  Evaluator evaluator;
};

QualityMeter::QualityMeter(const QualityOptions& options)
    : sums_(std::make_shared<Sums>(Sums{Evaluator(metrics_options(options))})) {}

void QualityMeter::add(const JudgedDocument& document) {
  check(document);
  sums_->evaluator.add({document.truth, document.predicted, document.ranking});
}

Quality QualityMeter::quality() const { return quality_of(sums_->evaluator.report()); }

}  // namespace otseq2set::inline v1
