#include "otseq2set/reading/libmultilabel_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "otseq2set/reading/label_list.h"

namespace otseq2set::inline reading {

LibMultiLabelReader::LibMultiLabelReader(LineReader lines, bool need_labels)
    : LineDocumentReader(std::move(lines), need_labels) {}

Problem LibMultiLabelReader::parse(std::string_view line, Document& document) {
  const auto tabs = static_cast<size_t>(std::count(line.begin(), line.end(), '\t'));
  if (tabs == 0 || tabs > 2) {
    return fmt::format("{} tabs; labels, a tab and a text are expected, or an id, a tab and these", tabs);
  }
  if (tabs_ == 0) tabs_ = tabs;
  if (tabs != tabs_) return fmt::format("{} columns, but the first line has {}", tabs + 1, tabs_ + 1);
  if (tabs == 2) {
    set_id(document, line.substr(0, line.find('\t')));
    line.remove_prefix(line.find('\t') + 1);
  }
  const size_t tab = line.find('\t');
  document.text = line.substr(tab + 1);
  if (!need_labels()) return "";
  return split_labels(line.substr(0, tab),
                      [&](std::string_view token) { return add_label(document, token); });
}

}  // namespace otseq2set::inline reading
