// What the readers of formats with one document a line share.
//
// Blank lines are skipped. The id is the line number unless the line has one.
#pragma once

#include <string>
#include <string_view>

#include "otseq2set/reading/document_reader.h"
#include "otseq2set/reading/problem.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline reading {

class LineDocumentReader : public DocumentReader {
 public:
  bool next(Document& document) final;

 protected:
  LineDocumentReader(LineReader lines, bool need_labels);

  // Fills the document, which comes empty, from the line. Returns what is wrong, empty when nothing is.
  virtual Problem parse(std::string_view line, Document& document) = 0;

  bool need_labels() const { return need_labels_; }

 private:
  Problem read(std::string_view line, Document& document);

  LineReader lines_;
  bool need_labels_;
};

// An id that the file gives; a blank one counts as none.
void set_id(Document& document, std::string_view id);

// The document has this error at its place, unless nothing is wrong.
void set_error(Document& document, const Problem& problem);

// Empty again, with the place and, for now, the number of the line as id.
void begin_document(Document& document, const LineReader& lines);

}  // namespace otseq2set::inline reading
