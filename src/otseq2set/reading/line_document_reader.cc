#include "otseq2set/reading/line_document_reader.h"

#include <fmt/format.h>

#include "otseq2set/reading/label_list.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

bool LineDocumentReader::next(Document& document) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (is_blank(line) && !lines_.too_long());
  begin_document(document, lines_);
  end_document(document, read(line, document));
  return true;
}

Problem LineDocumentReader::read(std::string_view line, Document& document) {
  if (lines_.too_long()) return fmt::format("the line is longer than {} bytes", lines_.max_line());
  Problem problem = parse_(line, document);
  if (problem.empty() && is_blank(document.text)) problem = {"the document has no text", ErrorKind::kNoText};
  return problem;
}

void set_id(Document& document, std::string_view id) {
  if (is_blank(id)) return;
  document.utf8 = document.utf8 && is_utf8(id);
  document.id = utf8_or_latin1(id);
  document.own_id = true;
}

void set_error(Document& document, const Problem& problem) {
  if (problem.empty()) return;
  document.error = document.place + ": " + problem.what;
  document.error_kind = problem.kind;
}

void begin_document(Document& document, const LineReader& lines) {
  document.id = std::to_string(lines.line());
  document.place = lines.place();
  document.text.clear();
  document.labels.clear();
  document.label_names.clear();
  document.error.clear();
  document.error_kind = ErrorKind::kUnreadable;
  document.utf8 = true;
  document.open_end = lines.open_end();
  document.own_id = document.relevances = false;
}

void end_document(Document& document, const Problem& problem) {
  document.utf8 = document.utf8 && is_utf8(document.text);
  set_error(document, problem);
  remove_duplicates(document);
}

}  // namespace otseq2set::inline reading
