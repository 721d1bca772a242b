#include "otseq2set/text/escaping.h"

#include <algorithm>
#include <utility>

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

namespace {

std::string_view entity(char character) {
  constexpr std::pair<char, std::string_view> kEntities[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
                                                             {'"', "&quot;"}, {'\'', "&#39;"}, {'\r', "&#13;"}};
  for (const auto& [escaped, name] : kEntities) {
    if (escaped == character) return name;
  }
  return {};
}

}  // namespace

std::string xml_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for_each_character(bytes, [&](UChar32 character, size_t begin, size_t end) {
    const bool allowed = character >= 0x20 ? character != 0x7f && character != 0xfffe && character != 0xffff
                                           : character == '\t' || character == '\n' || character == '\r';
    text += allowed ? bytes.substr(begin, end - begin) : character == '\f' ? " " : "\xef\xbf\xbd";
  });
  return text;
}

std::string escape_markup(std::string_view bytes) {
  std::string markup;
  for (const char character : xml_text(bytes)) {
    const std::string_view name = entity(character);
    markup += name.empty() ? std::string_view(&character, 1) : name;
  }
  return markup;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) quoted.append(character == '"' ? 2 : 1, character);
  return quoted + '"';
}

std::string one_field(std::string_view text) {
  std::string field(text);
  std::replace_if(
      field.begin(), field.end(), [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
  return field;
}

}  // namespace otseq2set::inline text
