// Documents as JSON lines: {"id":"d1","text":"...","labels":["fish","trade policy"]}, one object a line.
//
// The id may be a string or a number and is the line number when there is none. Other keys are ignored.
#pragma once

#include <string>
#include <string_view>

#include "otseq2set/reading/json_document.h"
#include "otseq2set/reading/line_document_reader.h"

namespace otseq2set::inline reading {

class JsonlReader : public LineDocumentReader {
 public:
  JsonlReader(LineReader lines, bool need_labels);

 private:
  Problem parse(std::string_view line, Document& document) override;

  JsonLine json_;
};

}  // namespace otseq2set::inline reading
