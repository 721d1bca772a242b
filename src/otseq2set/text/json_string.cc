#include "otseq2set/text/json_string.h"

#include <fmt/format.h>

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

namespace {

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    default:
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = repair_utf8(text);
    text = repaired;
  }
  out += '"';
  size_t copied = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out += text.substr(copied, i - copied);
    append_escape(out, c);
    copied = i + 1;
  }
  out += text.substr(copied);
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace otseq2set::inline text
