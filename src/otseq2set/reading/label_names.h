// Files of label names: one name a line for labels that are line numbers (PECOS, Y.txt of Wiki10-31K), or
// <label>TABname a line for labels that have a name besides (the vocabulary of Annif).
//
// A file that is not UTF-8 is read as Latin-1, as Yf.txt of AmazonCat-13K is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/reading/document_reader.h"
#include "otseq2set/text/string_index.h"

namespace otseq2set::inline reading {

// Labels by their line in a file of names, counted from 0.
class NumberedLabels {
 public:
  explicit NumberedLabels(const std::string& path);

  // Adds the label whose number the token is. Returns what is wrong, empty when nothing is.
  std::string add(std::string_view token, Document& document) const;

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string file_;
  std::vector<std::string> names_;
};

// The documents of another reader, with a name for every label that the file knows and the reader does not.
std::unique_ptr<DocumentReader> name_labels(std::unique_ptr<DocumentReader> reader, const std::string& path);

}  // namespace otseq2set::inline reading
