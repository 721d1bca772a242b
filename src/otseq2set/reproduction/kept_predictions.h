// The answers of a run to the test documents, kept beside its result: JSON lines as `predict` writes them.
//
//   {"id":"d1","labels":[{"label":"fish","score":0.93}]}
#pragma once

#include <memory>
#include <string>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/corpus/dataset.h"
#include "otseq2set/writing/prediction_writer.h"

namespace otseq2set::inline reproduction {

class KeptPredictions {
 public:
  // Both must outlive it. The file is there after `commit`.
  KeptPredictions(const std::string& path, const Dataset& data, const LabelVocabulary& labels);

  // In the order of the documents; answer: best first.
  void write(size_t document, Span<const ScoredLabel> answer);
  void commit();

 private:
  AtomicFile file_;
  const Dataset& data_;
  std::unique_ptr<PredictionWriter> writer_;
};

}  // namespace otseq2set::inline reproduction
