#include "otseq2set/text/unicode.h"

#include <simdjson.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <climits>

#include "otseq2set/core/error.h"

namespace otseq2set::inline text {

namespace {

// Those that move the cursor, end the line or speak to a terminal, and those that turn the direction of text.
bool is_control(UChar32 character) {
  constexpr uint32_t kControls = U_GC_CC_MASK | U_GC_ZL_MASK | U_GC_ZP_MASK;
  return (U_GET_GC_MASK(character) & kControls) != 0 || u_hasBinaryProperty(character, UCHAR_BIDI_CONTROL);
}

std::string escape_controls(const std::string& utf8) {
  std::string escaped;
  for_each_character(utf8, [&](UChar32 character, size_t begin, size_t end) {
    if (character == '\n' || character == '\r' || character == '\t') {
      escaped += character == '\n' ? "\\n" : character == '\r' ? "\\r" : "\\t";
    } else if (is_control(character)) {
      escaped += fmt::format("\\u{:04x}", static_cast<uint32_t>(character));
    } else {
      escaped.append(utf8, begin, end - begin);
    }
  });
  return escaped;
}

}  // namespace

bool is_ascii(std::string_view bytes) {
  unsigned char all = 0;
  for (unsigned char byte : bytes) all |= byte;
  return all < 0x80;
}

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

bool is_blank(std::string_view utf8) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(utf8.data());
  for (size_t i = 0; i < utf8.size();) {
    UChar32 character;
    U8_NEXT(bytes, i, utf8.size(), character);
    if (character < 0 || !u_isUWhiteSpace(character)) return false;
  }
  return true;
}

std::string fold_spelling(std::string_view utf8) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* fold = icu::Normalizer2::getNFKCCasefoldInstance(status);
  icu::UnicodeString folded;
  if (U_SUCCESS(status)) {
    const icu::StringPiece piece(utf8.data(), static_cast<int32_t>(std::min<size_t>(utf8.size(), INT_MAX)));
    folded = fold->normalize(icu::UnicodeString::fromUTF8(piece), status);
  }
  if (U_FAILURE(status)) fail("ICU cannot fold case: {} (are its data files installed?)", u_errorName(status));
  icu::UnicodeString name;
  for (int32_t i = 0; i < folded.length(); i = folded.moveIndex32(i, 1)) {
    const UChar32 character = folded.char32At(i);
    if (character != '_' && !u_isUWhiteSpace(character)) {
      name.append(character);
    } else if (!name.isEmpty() && name.charAt(name.length() - 1) != ' ') {
      name.append(' ');
    }
  }
  std::string result;
  name.trim().toUTF8String(result);
  return result;
}

std::string utf8_or_latin1(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  return latin1_to_utf8(bytes);
}

std::string latin1_to_utf8(std::string_view bytes) {
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

std::string repair_utf8(std::string_view bytes) {
  std::string utf8;
  for_each_character(bytes, [&](UChar32 character, size_t begin, size_t end) {
    utf8 += character < 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(begin, end - begin);
  });
  return utf8;
}

std::string excerpt(std::string_view bytes, size_t longest) {
  if (bytes.size() <= longest) return escape_controls(utf8_or_latin1(bytes));
  size_t end = longest;
  while (end > 0 && U8_IS_TRAIL(static_cast<uint8_t>(bytes[end]))) --end;
  return escape_controls(utf8_or_latin1(bytes.substr(0, end))) + "...";
}

}  // namespace otseq2set::inline text
