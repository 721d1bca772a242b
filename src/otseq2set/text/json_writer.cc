#include "otseq2set/text/json_writer.h"

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

namespace {

void append_escape(std::string& out, char c) {
  constexpr std::string_view kCharacters = "\"\\\n\r\t\b\f", kNames = "\"\\nrtbf";
  const size_t known = kCharacters.find(c);
  if (known == std::string_view::npos) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out += {'\\', kNames[known]};
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

}  // namespace otseq2set::inline text
