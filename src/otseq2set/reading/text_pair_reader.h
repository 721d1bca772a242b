// Documents as the data sets of AttentionXML come: one file with a text a line, one with its labels on
// the same line, separated by spaces. The labels are names, or line numbers from 0 into a file of
// names (Y.txt of Wiki10-31K).
//
// A blank line of labels is a document without labels; a blank text is that document's error.
// The id is the line number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "otseq2set/reading/document_reader.h"
#include "otseq2set/reading/label_names.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline reading {

class TextPairReader : public DocumentReader {
 public:
  // Without a file of labels none are read; without a file of names the labels are names.
  TextPairReader(LineReader texts, std::optional<LineReader> labels, std::optional<NumberedLabels> names);

  // Throws an Error when one of the files ends before the other.
  bool next(Document& document) override;

 private:
  bool read_lines(std::string_view& text, std::string_view& labels);
  std::string read_labels(std::string_view line, Document& document) const;

  LineReader texts_;
  std::optional<LineReader> labels_;
  std::optional<NumberedLabels> names_;
};

}  // namespace otseq2set::inline reading
