// What comes before the training itself: the documents are read, what they decide is settled, and what a person should
// know beforehand is told.
#pragma once

#include <optional>

#include "otseq2set/corpus/corpus.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/text/word_vectors.h"
#include "otseq2set/training.h"

namespace otseq2set::inline training {

// Tells how the files are read. train_on_all: the validation documents are among the training documents too.
Corpus read_corpus(const Documents& documents, const TrainingOptions& options, const Config& config, bool train_on_all);

// What the data decides: labels, steps, the network's words beside a linear model; and its fingerprint. Takes words and
// labels out of the corpus.
ModelDescription describe(Corpus& corpus, Config config);

void tell_about(const TrainingOptions& options, const Corpus& corpus, const ModelDescription& description);

// The word vectors that were asked for, none if none were; and what words and labels have of them.
std::optional<WordVectors> read_vectors(const TrainingOptions& options, const ModelDescription& description,
                                        const Dataset& train);

}  // namespace otseq2set::inline training
