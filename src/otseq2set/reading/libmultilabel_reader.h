// Documents as LibMultiLabel reads them: [id<TAB>]E11 ECAT<TAB>text, labels separated by spaces.
//
// The first line decides for the whole file whether there is a column of ids; a line with another number of
// columns is that document's error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "otseq2set/reading/line_document_reader.h"

namespace otseq2set::inline reading {

class LibMultiLabelReader : public LineDocumentReader {
 public:
  LibMultiLabelReader(LineReader lines, bool need_labels);

 private:
  Problem parse(std::string_view line, Document& document) override;

  size_t tabs_ = 0;  // a line has; 0: no line seen yet
};

}  // namespace otseq2set::inline reading
