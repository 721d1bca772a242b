// Reads all of a data set and tells what is wrong with it, what is remarkable, and what it looks like.
//
// Nothing stops the reading: every problem is counted, and the first few of each kind are kept with their
// places. Memory does not grow with the text: 24 bytes a document (hashes of its id and of its words, with
// the line), 16 to 32 a distinct word, and the names of the distinct labels.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "otseq2set/checking/check_summary.h"
#include "otseq2set/reading/document_reader.h"

namespace otseq2set::inline checking {

struct CheckOptions {
  std::string tokenizer = "icu";
  size_t max_words = 1000;    // of a document are kept by the model
  size_t steps = 0;           // labels of a document that decoding can give; 0: as many as there are
  size_t word_embedding = 0;  // numbers a word vector shall have; 0: any
  size_t max_places = 5;      // that are told of each kind of finding
  std::string vectors;        // a file of word vectors, or none
  std::function<void(size_t)> progress = [](size_t) {};  // called with the number of documents just read
};

CheckReport check_data(const DataFiles& train, const std::optional<DataFiles>& valid, const CheckOptions& options);

}  // namespace otseq2set::inline checking
