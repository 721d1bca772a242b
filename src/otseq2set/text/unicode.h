// The few questions about UTF-8 bytes that more than one part asks.
#pragma once

#include <unicode/utf8.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace otseq2set::inline text {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // U+FEFF

// Calls visit(code point, begin, end) for each character, which stands at the bytes [begin, end). A piece that is not
// UTF-8 is one with a negative code point.
template <typename Visit>
void for_each_character(std::string_view utf8, const Visit& visit) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(utf8.data());
  for (size_t i = 0; i < utf8.size();) {
    const size_t begin = i;
    UChar32 character;
    U8_NEXT(bytes, i, utf8.size(), character);
    visit(character, begin, i);
  }
}

// True when every byte is below 0x80.
bool is_ascii(std::string_view bytes);

bool is_utf8(std::string_view bytes);

// True when there is nothing but Unicode white space.
bool is_blank(std::string_view utf8);

// What is left of a name when case and spacing do not count: NFKC, case folded, runs of white space and `_`
// as one space, none at the ends.
std::string fold_spelling(std::string_view utf8);

// The bytes themselves when they are UTF-8, else the same bytes read as Latin-1 and written as UTF-8: some of
// the field's label files are Latin-1, and every byte string is valid Latin-1.
std::string utf8_or_latin1(std::string_view bytes);

std::string latin1_to_utf8(std::string_view bytes);

// The bytes with each piece that is not UTF-8 replaced by U+FFFD.
std::string repair_utf8(std::string_view bytes);

// For messages: valid UTF-8 on one line in any case, control characters as escapes such as \n and \u001b, and
// no more than the beginning of what is long.
constexpr size_t kExcerpt = 60;  // bytes
std::string excerpt(std::string_view bytes, size_t longest = kExcerpt);

}  // namespace otseq2set::inline text
