#include "otseq2set/reading/reading_warnings.h"

#include <fmt/format.h>

namespace otseq2set::inline reading {

void ReadingWarnings::add(const Document& document) {
  if (!document.error.empty()) return;
  if (!document.utf8 && not_utf8_++ == 0) first_not_utf8_ = document.place;
  if (document.open_end) open_ends_.push_back(document.place);
}

std::vector<std::string> ReadingWarnings::lines() const {
  std::vector<std::string> lines;
  if (not_utf8_ > 0) {
    lines.push_back(fmt::format(
        "warning: {} documents are not UTF-8, the first at {}; broken bytes separate words, and ids and labels are "
        "read as Latin-1",
        not_utf8_, first_not_utf8_));
  }
  for (const std::string& place : open_ends_) {
    lines.push_back(fmt::format(
        "warning: {}: the last line has no line end; if the file was cut short, this document is not whole", place));
  }
  return lines;
}

}  // namespace otseq2set::inline reading
