// Documents as the data sets of AttentionXML come: one file with a text a line, one with its labels on the
// same line, separated by spaces. The labels are names, or line numbers from 0 into a file of names (Y.txt of
// Wiki10-31K).
//
// A blank line of labels is a document without labels; a blank text is that document's error. The id is the
// line number.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/data/document_reader.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set {

class TextPairReader : public DocumentReader {
 public:
  TextPairReader(const DataFiles& files, bool need_labels);

  // Throws an Error when one of the files ends before the other.
  bool next(Document& document) override;

 private:
  bool read_lines(std::string_view& text, std::string_view& labels);
  // Returns what is wrong with the label, empty when nothing is.
  std::string add_label(std::string_view token, Document& document) const;
  std::string read_labels(std::string_view line, Document& document) const;

  LineReader texts_;
  std::optional<LineReader> labels_;
  std::string names_file_;  // empty: the labels are names
  std::vector<std::string> names_;
};

}  // namespace otseq2set
