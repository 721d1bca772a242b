// The numbering behind read_training_corpus: words and labels get provisional numbers as they come, with
// counts; when all are counted, the vocabularies are made and the numbers replaced.
//
// Each block of documents is tokenised and numbered by itself, in parallel, and only the distinct words of a
// block are looked up in the table of all words, one block after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "otseq2set/corpus/corpus.h"
#include "otseq2set/reading/document_chunks.h"
#include "otseq2set/text/string_index.h"
#include "otseq2set/text/tokenizer.h"

namespace otseq2set::inline corpus {

// Distinct strings with how often each was counted.
class Counter {
 public:
  // The string's number; its count rises by `count`, which may be 0.
  int32_t add(std::string_view text, uint64_t count) {
    const int32_t number = strings_.add(text);
    if (counts_.size() < strings_.size()) counts_.push_back(0);
    counts_[number] += count;
    return number;
  }

  // All strings of another counter with their counts; the numbers that its strings have here.
  std::vector<int32_t> add_all(const Counter& other);

  size_t size() const { return counts_.size(); }
  std::string_view text(int32_t number) const { return strings_[number]; }
  uint64_t count(int32_t number) const { return counts_[number]; }

  // The strings that were counted at least once.
  std::vector<std::pair<std::string, uint64_t>> counted() const;

 private:
  StringIndex strings_;
  std::vector<uint64_t> counts_;
};

class CorpusBuilder {
 public:
  explicit CorpusBuilder(const CorpusOptions& options);

  // Adds a chunk; the documents held out go to the validation part and are not counted.
  void add(const DocumentChunks& chunk, const std::vector<bool>& held_out);

  // Makes the vocabularies and the final numbers. The builder is used up.
  Corpus finish();

 private:
  struct Block {
    Counter words;
    std::vector<int32_t> ids;  // numbers in `words`, at most max_words a document
    std::vector<size_t> kept;  // how many of these each document has
    uint64_t words_read = 0;
    size_t documents_cut = 0;
  };

  Block tokenize(const DocumentChunks& chunk, size_t block, const std::vector<bool>& held_out) const;
  void merge(const DocumentChunks& chunk, size_t block_number, const Block& block, const std::vector<bool>& held_out);
  std::vector<int32_t> number_labels(const Document& document, bool counts);
  void keep_display_name(int32_t label, const std::string& name);

  CorpusOptions options_;
  std::unique_ptr<Tokenizer> tokenizer_;
  Counter words_;
  Counter labels_;
  std::vector<std::string> display_names_;  // by number in labels_, as far as there are any
  Corpus corpus_;
};

}  // namespace otseq2set::inline corpus
