// What a data set looks like and what was found in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/checking/findings.h"
#include "otseq2set/core/histogram.h"
#include "otseq2set/reading/first_document.h"

namespace otseq2set::inline checking {

// What a file's readable documents are like.
struct PartSummary {
  std::string file;
  std::optional<Format> format;        // that was recognised,
  std::optional<FirstDocument> first;  // and how the first document was read; neither if none could be
  uint64_t documents = 0;
  uint64_t words = 0;         // of all texts
  uint64_t longest = 0;       // words of the longest document
  uint64_t words_cut = 0;     // beyond max_words
  uint64_t labels = 0;        // of all documents together
  Histogram label_set_sizes;  // labels of a document -> documents
  Histogram lengths;          // words of a document -> documents

  double mean_labels() const;
  double mean_words() const;
  uint64_t largest_label_set() const;
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
  uint64_t rare_labels = 0;      // of them, with fewer than five documents
  uint64_t named_labels = 0;     // of them, with words in their name
  std::optional<VectorCoverage> vectors;

  bool refused() const;  // is there a finding that training would refuse?
  double samples_per_label() const;
  std::string scheme() const;          // "first_n" or "all", whichever suits the label sets
  bool scheme_matters_little() const;  // about as many documents at or below the mean as above it
};

}  // namespace otseq2set::inline checking
