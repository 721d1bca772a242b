// Documents as JSON lines: {"id":"d1","text":"...","labels":["fish","trade policy"]}, one object a line.
//
// The id may be a string or a number and is the line number when there is none. Blank lines are skipped.
// Other keys are ignored.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "otseq2set/data/document_reader.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set {

class JsonlReader : public DocumentReader {
 public:
  JsonlReader(LineReader lines, bool need_labels);

  bool next(Document& document) override;

 private:
  // These return what is wrong, empty when nothing is.
  std::string parse(std::string_view line, Document& document);
  std::string parse_labels(const simdjson::dom::object& object, Document& document) const;

  LineReader lines_;
  bool need_labels_;
  simdjson::dom::parser parser_;
};

}  // namespace otseq2set
