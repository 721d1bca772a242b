// All documents of a data set, scored in order and a few thousand at a time, so that memory stays bounded.
#pragma once

#include <functional>

#include "otseq2set/corpus/dataset.h"
#include "otseq2set/evaluation/metrics.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/reading/document_reader.h"

namespace otseq2set::inline inference {

// Documents with labels, in the words and labels of a model.
Dataset read_dataset(const DataFiles& files, const ModelDescription& description);

struct ScoredDatasetOptions {
  size_t k = 0;                               // ScoredDocument::best has the k best labels,
  float floor = 1;                            // and all whose score reaches this
  std::function<void(size_t)> progress = {};  // told how many documents were done since the last time
};

void score_dataset(const Predictor& predictor, const Dataset& data, const ScoredDatasetOptions& options,
                   const std::function<void(size_t document, const ScoredDocument& scored)>& use);

// What the measures need to know of the training: its labels, how many documents it had.
MetricsOptions metrics_options(const LabelVocabulary& labels, uint64_t documents, const EvaluationConfig& config);

// A document as the measures take it. `scored.best` has the best labels of the largest k, or more.
DocumentResult document_result(const Dataset& data, size_t document, const ScoredDocument& scored, const SetRule& rule);

// Every measure of a data set whose sets are made by the rule.
MetricsReport measure(const Predictor& predictor, const Dataset& data, const SetRule& rule,
                      const std::function<void(size_t)>& progress = {});

}  // namespace otseq2set::inline inference
