// From files to everything that training works on: the two vocabularies and the documents as numbers.
//
// One pass over the training file. Both vocabularies come from its training part alone: the held-out
// documents must look to the model like documents it has never seen. All words of a text are counted, its
// first max_words are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/corpus/dataset.h"
#include "otseq2set/corpus/label_vocabulary.h"
#include "otseq2set/reading/document_reader.h"
#include "otseq2set/text/tokenizer.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline corpus {

struct CorpusOptions {
  std::string tokenizer = "icu";
  size_t vocabulary = 50000;  // words at most
  uint64_t min_count = 1;     // rarer words are unknown
  size_t max_words = 1000;    // of a document are kept
  double valid_fraction = 0;  // held out when there is no file for validation
  uint64_t seed = 1;          // chooses which are held out
  bool train_on_all = false;  // nothing is held out, and the documents for validation are trained on too
};

struct Corpus {
  Vocabulary words;
  LabelVocabulary labels;
  Dataset train;
  Dataset valid;                      // without documents when there are neither a file nor a fraction for it
  std::vector<uint64_t> word_counts;  // of the vocabulary's words in the training part, falling
  uint64_t distinct_words = 0;        // of the training part, also those that are too rare or too many
  uint64_t words_read = 0;            // in the texts of the training part,
  uint64_t words_known = 0;           // of which the vocabulary has these
  size_t documents_cut = 0;           // documents of the training part with more than max_words words
};

// Throws the first document's error, or an Error when a file has no documents or no label.
Corpus read_training_corpus(const DataFiles& train, const std::optional<DataFiles>& valid,
                            const CorpusOptions& options);

// Documents with labels, as numbers of vocabularies that exist. Throws as above.
Dataset read_dataset(const DataFiles& files, const Tokenizer& tokenizer, const Vocabulary& words,
                     const LabelVocabulary& labels, size_t max_words);

}  // namespace otseq2set::inline corpus
