#include "otseq2set/reading/text_pair_reader.h"

#include <fmt/format.h>

#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/label_list.h"
#include "otseq2set/reading/line_document_reader.h"
#include "otseq2set/reading/problem.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

size_t count_lines(LineReader& lines) {
  std::string_view line;
  while (lines.next(line)) {
  }
  return lines.line();
}

std::string line_error(const LineReader& lines) {
  if (!lines.too_long()) return "";
  return fmt::format("{}: the line is longer than {} bytes", lines.place(), lines.max_line());
}

}  // namespace

TextPairReader::TextPairReader(LineReader texts, std::optional<LineReader> labels, std::optional<NumberedLabels> names)
    : texts_(std::move(texts)), labels_(std::move(labels)), names_(std::move(names)) {}

bool TextPairReader::next(Document& document) {
  std::string_view text, labels;
  if (!read_lines(text, labels)) return false;
  begin_document(document, texts_);
  document.text.assign(text);
  document.utf8 = is_utf8(text);
  document.open_end = texts_.open_end() || (labels_ && labels_->open_end());
  Problem problem = line_error(texts_);
  if (problem.empty() && is_blank(text)) {
    problem = {document.place + ": the document has no text (the line is empty)", ErrorKind::kNoText};
  }
  if (labels_) problem = both(problem, read_labels(labels, document));
  document.error = problem.what;
  document.error_kind = problem.kind;
  return true;
}

bool TextPairReader::read_lines(std::string_view& text, std::string_view& labels) {
  const bool has_text = texts_.next(text);
  if (!labels_) return has_text;
  const bool has_labels = labels_->next(labels);
  if (has_text == has_labels) return has_text;
  const size_t texts = count_lines(texts_), label_lines = count_lines(*labels_);
  fail("{} has {} lines, but {} has {}; they must correspond line by line", texts_.name(), texts, labels_->name(),
       label_lines);
}

std::string TextPairReader::read_labels(std::string_view line, Document& document) const {
  if (labels_->too_long()) return line_error(*labels_);
  const std::string problem = split_labels(
      line, [&](std::string_view token) { return names_ ? names_->add(token, document) : add_label(document, token); });
  remove_duplicates(document);
  return problem.empty() ? "" : labels_->place() + ": " + problem;
}

}  // namespace otseq2set::inline reading
