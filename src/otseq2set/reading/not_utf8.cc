#include "otseq2set/reading/not_utf8.h"

#include <fmt/format.h>

namespace otseq2set::inline reading {

void NotUtf8::add(const Document& document) {
  if (document.utf8 || !document.error.empty()) return;
  if (documents_++ == 0) first_ = document.place;
}

std::string NotUtf8::warning() const {
  if (documents_ == 0) return "";
  return fmt::format(
      "warning: {} documents are not UTF-8, the first at {}; broken bytes separate words, and ids and labels are read "
      "as Latin-1",
      documents_, first_);
}

}  // namespace otseq2set::inline reading
