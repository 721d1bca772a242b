#include "otseq2set/text/code_points.h"

#include <algorithm>
#include <cstdint>

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

CodePoints::CodePoints(std::string_view utf8)
    : ascii_(static_cast<size_t>(
          std::find_if(utf8.begin(), utf8.end(), [](char c) { return static_cast<uint8_t>(c) >= 0x80; }) -
          utf8.begin())) {
  for_each_character(utf8.substr(ascii_), [this](UChar32, size_t begin, size_t) { begins_.push_back(ascii_ + begin); });
}

size_t CodePoints::operator()(size_t byte) const {
  if (byte <= ascii_) return byte;
  return ascii_ + static_cast<size_t>(std::lower_bound(begins_.begin(), begins_.end(), byte) - begins_.begin());
}

}  // namespace otseq2set::inline text
