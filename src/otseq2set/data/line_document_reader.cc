#include "otseq2set/data/line_document_reader.h"

#include <fmt/format.h>

#include <utility>

#include "otseq2set/data/label_list.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set {

LineDocumentReader::LineDocumentReader(LineReader lines, bool need_labels)
    : lines_(std::move(lines)), need_labels_(need_labels) {}

bool LineDocumentReader::next(Document& document) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (is_blank(line) && !lines_.too_long());
  begin_document(document, lines_);
  const std::string problem = read(line, document);
  if (!problem.empty()) document.error = document.place + ": " + problem;
  return true;
}

std::string LineDocumentReader::read(std::string_view line, Document& document) {
  if (lines_.too_long()) return fmt::format("the line is longer than {} bytes", lines_.max_line());
  std::string problem = parse(line, document);
  if (problem.empty() && is_blank(document.text)) problem = "the document has no text";
  remove_duplicates(document);
  return problem;
}

void set_id(Document& document, std::string_view id) {
  if (is_blank(id)) return;
  document.id = utf8_or_latin1(id);
  document.own_id = true;
}

void begin_document(Document& document, const LineReader& lines) {
  document.id = std::to_string(lines.line());
  document.place = lines.place();
  document.text.clear();
  document.labels.clear();
  document.label_names.clear();
  document.error.clear();
  document.own_id = document.relevances = false;
}

}  // namespace otseq2set
