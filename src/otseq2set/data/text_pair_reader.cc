#include "otseq2set/data/text_pair_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "otseq2set/core/error.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set {

namespace {

std::vector<std::string> read_names(const std::string& path) {
  std::vector<std::string> names;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) names.push_back(utf8_or_latin1(line));
  return names;
}

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

TextPairReader::TextPairReader(const DataFiles& files, bool need_labels) : texts_(files.data) {
  if (!need_labels) return;
  labels_.emplace(files.labels);
  if (files.label_names.empty()) return;
  names_file_ = display_name(files.label_names);
  names_ = read_names(files.label_names);
}

bool TextPairReader::next(Document& document) {
  std::string_view text, labels;
  if (!read_lines(text, labels)) return false;
  document.id = std::to_string(texts_.line());
  document.place = texts_.place();
  document.text.assign(text);
  document.labels.clear();
  document.error = line_error(texts_);
  if (document.error.empty() && is_blank(text)) {
    document.error = document.place + ": the document has no text (the line is empty)";
  }
  if (document.error.empty() && labels_) document.error = read_labels(labels, document);
  return true;
}

bool TextPairReader::read_lines(std::string_view& text, std::string_view& labels) {
  const bool has_text = texts_.next(text);
  if (!labels_) return has_text;
  const bool has_labels = labels_->next(labels);
  if (has_text == has_labels) return has_text;
  const size_t texts = count_lines(texts_), label_lines = count_lines(*labels_);
  fail("{} has {} lines, but {} has {}; line by line they must belong together", texts_.name(), texts,
       labels_->name(), label_lines);
}

std::string TextPairReader::read_labels(std::string_view line, Document& document) const {
  std::string problem = line_error(*labels_);
  while (problem.empty()) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::string_view token = line.substr(0, line.find_first_of(" \t"));
    line.remove_prefix(token.size());
    problem = add_label(token, document);
  }
  remove_duplicates(document.labels);
  return problem;
}

std::string TextPairReader::add_label(std::string_view token, Document& document) const {
  if (names_file_.empty()) {
    document.labels.push_back(utf8_or_latin1(token));
    return "";
  }
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error == std::errc::invalid_argument || end != token.data() + token.size()) {
    return fmt::format("{}: label '{}' is not a line number of {}", labels_->place(), token, names_file_);
  }
  if (error != std::errc() || number >= names_.size()) {
    return fmt::format("{}: label {}, but {} has {} names, counted from 0", labels_->place(), token,
                       names_file_, names_.size());
  }
  if (is_blank(names_[number])) {
    return fmt::format("{}: label {}, but {}:{} is empty", labels_->place(), token, names_file_, number + 1);
  }
  document.labels.push_back(names_[number]);
  return "";
}

}  // namespace otseq2set
