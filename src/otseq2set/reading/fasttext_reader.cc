#include "otseq2set/reading/fasttext_reader.h"

#include <utility>

#include "otseq2set/reading/label_list.h"

namespace otseq2set::inline reading {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0; }

}  // namespace

size_t find_fasttext_label(std::string_view text) {
  for (size_t at = text.find(kFastTextPrefix); at != std::string_view::npos;
       at = text.find(kFastTextPrefix, at + 1)) {
    if (at == 0 || is_space(text[at - 1])) return at;
  }
  return std::string_view::npos;
}

FastTextReader::FastTextReader(LineReader lines, bool need_labels)
    : LineDocumentReader(std::move(lines), need_labels) {}

Problem FastTextReader::parse(std::string_view line, Document& document) {
  for (;;) {
    const size_t label = find_fasttext_label(line);
    document.text += line.substr(0, label);
    if (label == std::string_view::npos) return "";
    line.remove_prefix(label);
    size_t end = kFastTextPrefix.size();
    while (end < line.size() && !is_space(line[end])) ++end;
    const std::string_view name = line.substr(kFastTextPrefix.size(), end - kFastTextPrefix.size());
    if (need_labels()) {
      if (name.empty()) return "'__label__' without a name";
      if (std::string problem = add_label(document, name); !problem.empty()) return problem;
    }
    line.remove_prefix(end < line.size() ? end + 1 : end);  // with the one space that ends it
  }
}

}  // namespace otseq2set::inline reading
