#include "otseq2set/text/code_points.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

namespace otseq2set::inline text {

CodePoints::CodePoints(std::string_view utf8)
    : ascii_(static_cast<size_t>(
          std::find_if(utf8.begin(), utf8.end(), [](char c) { return static_cast<uint8_t>(c) >= 0x80; }) -
          utf8.begin())) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(utf8.data());
  for (size_t i = ascii_; i < utf8.size();) {
    begins_.push_back(i);
    UChar32 character;
    U8_NEXT(bytes, i, utf8.size(), character);
  }
}

size_t CodePoints::operator()(size_t byte) const {
  if (byte <= ascii_) return byte;
  return ascii_ + static_cast<size_t>(std::lower_bound(begins_.begin(), begins_.end(), byte) - begins_.begin());
}

}  // namespace otseq2set::inline text
