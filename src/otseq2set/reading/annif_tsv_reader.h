// Documents as Annif's TSV: text<TAB><uri1> <uri2>, the URIs with or without angle brackets.
//
// Nothing behind the tab is a document without labels.
#pragma once

#include <string>
#include <string_view>

#include "otseq2set/reading/line_document_reader.h"

namespace otseq2set::inline reading {

class AnnifTsvReader : public LineDocumentReader {
 public:
  AnnifTsvReader(LineReader lines, bool need_labels);

 private:
  Problem parse(std::string_view line, Document& document) override;
};

// The URIs of a column of Annif's, separated by white space. Returns what is wrong, empty when nothing is.
std::string add_uris(std::string_view column, Document& document);

}  // namespace otseq2set::inline reading
