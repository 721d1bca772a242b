// Reads all of a data set and tells what is wrong with it, what is remarkable, and what it looks like.
//
// Nothing stops the reading: every problem is counted, and the first few of each kind are kept with their
// places. Memory does not grow with the text: 24 bytes a document (hashes of its id and of its words, with
// the line), 16 to 32 a distinct word, and the names of the distinct labels.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/data/document_reader.h"

namespace otseq2set {

struct CheckOptions {
  std::string tokenizer = "icu";
  size_t max_words = 1000;    // of a document are kept by the model
  size_t steps = 0;           // labels of a document that decoding can give; 0: as many as there are
  size_t word_embedding = 0;  // numbers a word vector shall have; 0: any
  size_t max_places = 5;      // that are told of each kind of finding
  std::string vectors;        // a file of word vectors, or none
  std::function<void(size_t)> progress = [](size_t) {};  // called with the number of documents just read
};

// One kind of thing that was found, with the first places.
struct Finding {
  std::string kind;      // for programs: "duplicate_id"
  std::string title;     // for people: "documents whose id another document has"
  bool refused = false;  // training would not start
  uint64_t count = 0;
  std::vector<std::string> places;  // "file:line: what is there", at most max_places
};

// What a file's readable documents are like.
struct PartSummary {
  uint64_t documents = 0;
  uint64_t words = 0;                            // of all texts
  uint64_t longest = 0;                          // words of the longest document
  uint64_t words_cut = 0;                        // beyond max_words
  uint64_t labels = 0;                           // of all documents together
  std::map<uint64_t, uint64_t> label_set_sizes;  // size -> documents

  double mean_labels() const;
  double mean_words() const;
  uint64_t largest_label_set() const;
  double share_at_or_below_mean() const;  // of the documents, by their number of labels
};

// How much of the training text has a vector.
struct VectorCoverage {
  uint64_t words = 0;  // in the file
  uint64_t dimension = 0;
  uint64_t tokens = 0, types = 0;  // of the training text that have one
};

struct CheckReport {
  std::vector<Finding> findings;  // only kinds that were found; those that training refuses first
  PartSummary train;
  std::optional<PartSummary> valid;
  uint64_t distinct_words = 0;   // of the training documents
  uint64_t distinct_labels = 0;  // likewise
  std::optional<VectorCoverage> vectors;

  bool refused() const;  // is there a finding that training would refuse?
  double samples_per_label() const;
  std::string scheme() const;          // "first_n" or "all", whichever suits the label sets
  bool scheme_matters_little() const;  // about as many documents at or below the mean as above it
};

CheckReport check_data(const DataFiles& train, const std::optional<DataFiles>& valid,
                       const CheckOptions& options);

}  // namespace otseq2set
