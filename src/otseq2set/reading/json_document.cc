#include "otseq2set/reading/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "otseq2set/reading/line_document_reader.h"
#include "otseq2set/text/line_reader.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline reading {

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

namespace {

constexpr std::string_view kDigits = "0123456789";

std::string_view take_digits(std::string_view& text) {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

bool take_any(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// -12.5e+3 and nothing behind it.
bool is_json_number(std::string_view text) {
  take_any(text, "-");
  const std::string_view whole = take_digits(text);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return false;
  if (take_any(text, ".") && take_digits(text).empty()) return false;
  if (take_any(text, "eE")) {
    take_any(text, "+-");
    if (take_digits(text).empty()) return false;
  }
  return text.empty();
}

// Makes every number that is one by the rules of JSON a zero and blanks; what is in strings stays.
void replace_numbers(char* text, size_t size) {
  bool in_string = false;
  for (size_t i = 0; i < size; ++i) {
    if (text[i] == '\\') {
      ++i;  // the next character does not end the string
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'))) {
      const std::string_view rest(text + i, size - i);
      const std::string_view number = rest.substr(0, std::min(rest.find_first_not_of("0123456789+-.eE"), rest.size()));
      if (is_json_number(number)) {
        std::memset(text + i, ' ', number.size());
        text[i] = '0';
      }
      i += number.size() - 1;
    }
  }
}

// The character of an escape \uXXXX at the beginning of the text, or nothing.
std::optional<unsigned> unicode_escape(std::string_view text) {
  unsigned character = 0;
  if (text.size() < 6 || text.substr(0, 2) != "\\u") return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, character, 16);
  if (error != std::errc() || end != text.data() + 6) return std::nullopt;
  return character;
}

// What is wrong with the first escape that JSON does not have.
std::string escape_problem(std::string_view line) {
  constexpr unsigned kHigh = 0xd800, kLow = 0xdc00, kKind = 0xfc00;  // halves of a surrogate pair
  for (size_t i = line.find('\\'); i != std::string_view::npos; i = line.find('\\', i)) {
    const std::string_view rest = line.substr(i);
    const std::optional<unsigned> character = unicode_escape(rest);
    if (!character) {
      if (rest.size() < 2 || std::string_view("\"\\/bfnrt").find(rest[1]) == std::string_view::npos) {
        return fmt::format("'{}' is not a valid JSON escape", excerpt(rest.substr(0, 2)));
      }
      i += 2;
      continue;
    }
    const bool pair = (*character & kKind) == kHigh && rest.size() >= 12 &&
                      (unicode_escape(rest.substr(6)).value_or(0) & kKind) == kLow;
    if (!pair && ((*character & kKind) == kHigh || (*character & kKind) == kLow)) {
      return fmt::format("{} is one half of a surrogate pair, and the other half is missing", rest.substr(0, 6));
    }
    i += pair ? 12 : 6;
  }
  return simdjson::error_message(simdjson::STRING_ERROR);
}

}  // namespace

Problem JsonLine::parse(std::string_view line, std::string_view example, simdjson::dom::object& object) {
  line_ = line;
  simdjson::dom::element root;
  simdjson::error_code error = parser_.parse(line.data(), line.size(), false).get(root);
  replaced_ = error != simdjson::SUCCESS;  // perhaps of a number too large; releases of simdjson differ in its code
  if (replaced_) {
    without_numbers_ = simdjson::padded_string(line);
    replace_numbers(without_numbers_.data(), without_numbers_.size());
    error = parser_.parse(without_numbers_).get(root);
  }
  if (error == simdjson::STRING_ERROR) return "not JSON: " + escape_problem(line);
  if (error) {
    return {fmt::format("not JSON: {}", simdjson::error_message(error)),
            error == simdjson::UTF8_ERROR ? ErrorKind::kNotUtf8 : ErrorKind::kUnreadable};
  }
  if (root.get(object)) return fmt::format("expected a JSON object such as {}", example);
  return "";
}

std::string JsonLine::read_id(const simdjson::dom::object& object, const char* key, Document& document) {
  const auto element = object[key];
  if (element.error() || element.is_null()) return "";  // the line number stays
  if (element.is_string()) {
    document.id = std::string_view(element);
  } else if (element.is_int64() && !replaced_) {
    document.id = std::to_string(int64_t(element));
  } else if (element.is_number()) {
    document.id = number_as_written(key);
  } else {
    return fmt::format("\"{}\" is neither a string nor a number", key);
  }
  document.own_id = true;
  return "";
}

// The line is JSON, so that the key is found.
std::string_view JsonLine::number_as_written(const char* key) {
  const simdjson::padded_string_view line(line_.data(), line_.size(), line_.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document;
  std::string_view number;
  if (raw_parser_.iterate(line).get(document) || document[key].raw_json_token().get(number)) return "";
  return number.substr(0, number.find_first_not_of("0123456789+-.eE"));
}

Problem parse_text(const simdjson::dom::object& object, Document& document) {
  const auto element = object["text"];
  const char* problem = nullptr;
  if (element.error()) {
    problem = "missing";
  } else if (!element.is_string()) {
    problem = "not a string";
  } else {
    document.text = std::string_view(element);
    if (is_blank(document.text)) problem = "empty";
  }
  if (!problem) return {};
  return {fmt::format("the document has no text (\"text\" is {})", problem), ErrorKind::kNoText};
}

}  // namespace otseq2set::inline reading
