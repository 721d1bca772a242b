// Documents as fastText reads them: __label__fish __label__trade the council adopted ...
//
// A word that begins with __label__ is a label wherever it stands, as in fastText; usually labels come first.
// A line without any is a document without labels.
#pragma once

#include <string>
#include <string_view>

#include "otseq2set/reading/line_document_reader.h"

namespace otseq2set::inline reading {

constexpr std::string_view kFastTextPrefix = "__label__";

// Where the next label begins, npos when there is none.
size_t find_fasttext_label(std::string_view text);

class FastTextReader : public LineDocumentReader {
 public:
  FastTextReader(LineReader lines, bool need_labels);

 private:
  Problem parse(std::string_view line, Document& document) override;
};

}  // namespace otseq2set::inline reading
