#include "otseq2set/reading/label_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/reading/label_list.h"
#include "otseq2set/text/line_reader.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

namespace {

// All lines. One line that is not UTF-8 tells that the file is not,
// and then others that could be are not either.
std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  bool utf8 = true;
  for (std::string_view line; reader.next(line);) {
    if (reader.too_long()) fail("{}: the line is longer than {} bytes", reader.place(), reader.max_line());
    utf8 = utf8 && is_utf8(line);
    lines.emplace_back(line);
  }
  if (utf8) return lines;
  for (std::string& line : lines) line = latin1_to_utf8(line);
  return lines;
}

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

class NamedDocuments : public DocumentReader {
 public:
  NamedDocuments(std::unique_ptr<DocumentReader> reader, const std::string& path) : reader_(std::move(reader)) {
    const std::vector<std::string> lines = read_lines(path);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!is_blank(lines[i])) add(lines[i], display_name(path), i + 1);
    }
  }

  bool next(Document& document) override {
    if (!reader_->next(document)) return false;
    if (document.labels.empty()) return true;
    document.label_names.resize(document.labels.size());
    for (size_t i = 0; i < document.labels.size(); ++i) {
      const int32_t number = labels_.find(document.labels[i]);
      if (number >= 0 && document.label_names[i].empty()) document.label_names[i] = names_[number];
    }
    const auto is_empty = [](const std::string& name) { return name.empty(); };
    if (std::all_of(document.label_names.begin(), document.label_names.end(), is_empty)) {
      document.label_names.clear();
    }
    return true;
  }

 private:
  // <label>TABname, perhaps with a notation or more behind a second tab.
  void add(std::string_view line, const std::string& file, size_t number) {
    const size_t tab = line.find('\t');
    const std::string_view label = without_brackets(trim(line.substr(0, tab)));
    if (tab == std::string_view::npos || is_blank(label)) {
      fail("{}:{}: expected a label, a tab and its name, such as <http://example.org/fish>TABFish", file, number);
    }
    line.remove_prefix(tab + 1);
    const std::string_view name = trim(line.substr(0, line.find('\t')));
    labels_.add(label);
    if (names_.size() < labels_.size()) names_.emplace_back(name);
  }

  std::unique_ptr<DocumentReader> reader_;
  StringIndex labels_;
  std::vector<std::string> names_;
};

}  // namespace

NumberedLabels::NumberedLabels(const std::string& path) : file_(display_name(path)), names_(read_lines(path)) {}

std::string NumberedLabels::add(std::string_view token, Document& document) const {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error == std::errc::invalid_argument || end != token.data() + token.size()) {
    return fmt::format("label '{}' is not a line number in {}", excerpt(token), file_);
  }
  if (error != std::errc() || number >= names_.size()) {
    return fmt::format("label {}, but {} has {} names, counted from 0", excerpt(token), file_, names_.size());
  }
  if (is_blank(names_[number])) return fmt::format("label {}, but {}:{} is empty", excerpt(token), file_, number + 1);
  return add_label(document, names_[number]);
}

std::unique_ptr<DocumentReader> name_labels(std::unique_ptr<DocumentReader> reader, const std::string& path) {
  return std::make_unique<NamedDocuments>(std::move(reader), path);
}

}  // namespace otseq2set::inline reading
