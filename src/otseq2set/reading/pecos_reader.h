// Documents as PECOS text2text reads them: 0,1,2<TAB>text, where the numbers are lines, from 0, of a file of
// label names. 0::0.1,1::0.2 gives each label a relevance, which is read and not used.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "otseq2set/reading/label_names.h"
#include "otseq2set/reading/line_document_reader.h"

namespace otseq2set::inline reading {

class PecosReader : public LineDocumentReader {
 public:
  // Without labels: none are needed.
  PecosReader(LineReader lines, std::optional<NumberedLabels> labels);

 private:
  Problem parse(std::string_view line, Document& document) override;
  std::string add(std::string_view label, Document& document) const;

  std::optional<NumberedLabels> labels_;
};

}  // namespace otseq2set::inline reading
