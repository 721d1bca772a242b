#include "otseq2set/text/json_writer.h"

#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

namespace {

void append_escape(std::string& out, char c) {
  constexpr std::string_view kCharacters = "\"\\\n\r\t\b\f", kNames = "\"\\nrtbf";
  const size_t known = kCharacters.find(c);
  if (known == std::string_view::npos) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
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
    const bool is_c1 = c == '\xc2' && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != '\x7f' && !is_c1) continue;
    out += text.substr(copied, i - copied);
    if (is_c1) ++i;
    append_escape(out, text[i]);
    copied = i + 1;
  }
  out += text.substr(copied);
  out += '"';
}

}  // namespace otseq2set::inline text
