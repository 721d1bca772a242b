// Documents of the formats with one a line (line_formats.h), and what all readers share.
//
// Blank lines are skipped. The id is the line number unless the line has one.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "otseq2set/reading/document_reader.h"
#include "otseq2set/reading/problem.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline reading {

// Fills the document, which comes empty, from the line. Returns what is wrong, empty when nothing is.
using ParseLine = std::function<Problem(std::string_view line, Document& document)>;

class LineDocumentReader : public DocumentReader {
 public:
  LineDocumentReader(LineReader lines, ParseLine parse) : lines_(std::move(lines)), parse_(std::move(parse)) {}

  bool next(Document& document) override;

 private:
  Problem read(std::string_view line, Document& document);

  LineReader lines_;
  ParseLine parse_;
};

// An id that the file gives; a blank one counts as none.
void set_id(Document& document, std::string_view id);

// The document has this error at its place, unless nothing is wrong.
void set_error(Document& document, const Problem& problem);

// Empty again, with the place and, for now, the number of the line as id.
void begin_document(Document& document, const LineReader& lines);

// All of it is read: its labels become distinct, and whether its text is UTF-8 is known.
void end_document(Document& document, const Problem& problem);

}  // namespace otseq2set::inline reading
