// fastText (Joulin et al. 2017) beside our own systems: trained on the same documents, measured on the same.
//
// It reads the words that our tokenizer finds, with one binary loss a label and word pairs (-loss ova
// -wordNgrams 2). How often it goes over the data, and how fast it learns, suits thousands of rare labels.
#pragma once

#include <atomic>
#include <string>

#include "otseq2set/config/config.h"
#include "otseq2set/corpus/corpus.h"
#include "otseq2set/report/results.h"

namespace otseq2set::inline reproduction {

struct FastTextOptions {
  std::string folder;       // for its files
  std::string predictions;  // file that gets its rankings of the test documents, kept_predictions.h
  int64_t seed = 1;
  int threads = 1;  // with more than one its results are not the same every time
  EvaluationConfig evaluation;
  const std::atomic<bool>* stop = nullptr;
  const std::atomic<bool>* lost = nullptr;
};

bool fasttext_is_installed();

// corpus: with all words in its vocabulary, and a validation part. An Error when fastText fails.
RunResult run_fasttext(const Corpus& corpus, const Dataset& test, const FastTextOptions& options);

}  // namespace otseq2set::inline reproduction
