#include "otseq2set/http/url.h"

#include <charconv>

#include "otseq2set/http/problem.h"

namespace otseq2set::inline http {

namespace {

std::string decode_field(std::string_view text) {
  std::optional<std::string> decoded = decode_percent(text, /*plus_is_space=*/true);
  if (!decoded) refuse(400, "a percent sign in a form or query must be followed by two hexadecimal digits");
  return std::move(*decoded);
}

}  // namespace

std::optional<std::string> decode_percent(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const char* const digits = &text[i + 1];
      unsigned char byte = 0;
      if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return std::nullopt;
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::map<std::string, std::string> parse_form(std::string_view text) {
  std::map<std::string, std::string> fields;
  for (size_t count = 0; !text.empty();) {
    const std::string_view field = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), field.size() + 1));
    if (field.empty()) continue;
    if (++count > kMostFields) refuse(400, "a form or query has more than {} fields", kMostFields);
    const size_t equals = field.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : field.substr(equals + 1);
    fields.emplace(decode_field(field.substr(0, equals)), decode_field(value));
  }
  return fields;
}

}  // namespace otseq2set::inline http
