// Another tool's ranked predictions on the same test documents, measured like a run of our own.
//
// A ranker gives scores, not sets. It is shown with its best fixed number of labels and its best threshold,
// both chosen on validation documents; where there are no predictions for these, on the test documents, which
// flatters it and is said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/corpus/corpus.h"
#include "otseq2set/evaluation/scored_label.h"
#include "otseq2set/report/results.h"

namespace otseq2set::inline reproduction {

using Rankings = std::vector<std::vector<ScoredLabel>>;  // a list a document, best first

// Predictions in the formats of `predict --output-format`: jsonl, xc (indexes are labels' names unless
// `label_names` has a file with a name a line), fasttext; told by their content. One a document of
// `data`, in its order; JSON lines are put into it by their ids. Labels that the vocabulary does not know
// become unknown labels of `data`. An Error says what does not fit, with file and line, and so it does
// when no label at all is known.
Rankings read_rankings(const std::string& path, const LabelVocabulary& labels, const std::string& label_names,
                       Dataset& data);

// Documents with known labels, and what a tool gave them.
struct RankedDocuments {
  const Dataset& data;
  const Rankings& rankings;
};

// corpus: that the tool was trained on; evaluation: as for our own runs.
RunResult measure_peer(const RankedDocuments& test, const std::optional<RankedDocuments>& valid, const Corpus& corpus,
                       const EvaluationConfig& evaluation);

}  // namespace otseq2set::inline reproduction
