#include "otseq2set/report/valid_text.h"

namespace otseq2set::inline report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes of the valid UTF-8 character that starts here; 0 if there is none.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second > 0x9F;
    const bool noncharacter = first == 0xEF && second == 0xBF && byte(2) >= 0xBE;
    return follows(1) && follows(2) && !overlong && !surrogate && !noncharacter ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && second < 0x90, beyond = first == 0xF4 && second > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool forbidden(char character) {
  const auto code = static_cast<unsigned char>(character);
  return (code < 0x20 && character != '\t' && character != '\n') || code == 0x7F;
}

}  // namespace

std::string valid_text(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = character_length(text);
    const bool good = length > 1 || (length == 1 && !forbidden(text[0]));
    valid += good ? text.substr(0, length) : kReplacement;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

}  // namespace otseq2set::inline report
