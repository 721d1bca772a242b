#include "otseq2set/text/unicode.h"

#include <simdjson.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>

namespace otseq2set {

bool is_ascii(std::string_view bytes) {
  unsigned char all = 0;
  for (unsigned char byte : bytes) all |= byte;
  return all < 0x80;
}

bool is_blank(std::string_view utf8) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(utf8.data());
  for (size_t i = 0; i < utf8.size();) {
    UChar32 character;
    U8_NEXT(bytes, i, utf8.size(), character);
    if (character < 0 || !u_isUWhiteSpace(character)) return false;
  }
  return true;
}

std::string utf8_or_latin1(std::string_view bytes) {
  if (simdjson::validate_utf8(bytes.data(), bytes.size())) return std::string(bytes);
  std::string utf8;
  for (unsigned char byte : bytes) {
    if (byte < 0x80) {
      utf8 += static_cast<char>(byte);
    } else {
      utf8 += static_cast<char>(0xc0 | (byte >> 6));
      utf8 += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return utf8;
}

}  // namespace otseq2set
