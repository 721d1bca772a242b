// Documents as Annif's JSON lines:
//
//   {"document_id":"d1","text":"...","subjects":[{"uri":"http://example.org/fish","label":"Fish"}]}
//
// The URI is the label, "label" its name; a subject without a URI is known by its name alone.
#pragma once

#include <string>
#include <string_view>

#include "otseq2set/reading/json_document.h"
#include "otseq2set/reading/line_document_reader.h"

namespace otseq2set::inline reading {

class AnnifJsonlReader : public LineDocumentReader {
 public:
  AnnifJsonlReader(LineReader lines, bool need_labels);

 private:
  Problem parse(std::string_view line, Document& document) override;

  JsonLine json_;
};

}  // namespace otseq2set::inline reading
