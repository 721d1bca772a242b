#include "otseq2set/text/word_vectors.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <system_error>

#include "otseq2set/core/error.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set {

namespace {

bool is_separator(char c) { return c == ' ' || c == '\t'; }

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && is_separator(text.back())) text.remove_suffix(1);
  return text;
}

// Takes the first field off a text that begins with one, or with separators.
std::string_view take_field(std::string_view& text) {
  size_t begin = 0;
  while (begin < text.size() && is_separator(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && !is_separator(text[end])) ++end;
  const std::string_view field = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return field;
}

size_t count_fields(std::string_view text) {
  size_t count = 0;
  while (!take_field(text).empty()) ++count;
  return count;
}

// from_chars refuses what is too small for a float, which is a harmless zero here; hence the way over double.
std::optional<float> parse_number(std::string_view field) {
  const char* begin = field.data();
  const char* end = begin + field.size();
  if (begin < end && *begin == '+') ++begin;
  float value;
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    double wide = 0;
    if (std::from_chars(begin, end, wide).ec != std::errc()) return std::nullopt;
    value = static_cast<float>(wide);
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  if (stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <typename Integer>
bool parse_integer(std::string_view field, Integer& value) {
  const auto [stopped, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && stopped == field.data() + field.size();
}

[[noreturn]] void fail_width(const LineReader& lines, size_t width, size_t dimension) {
  fail("{}: vectors of {} numbers, but model.word_embedding is {}", lines.place(), width, dimension);
}

// The first line of a .vec file. Checks its dimension.
bool is_header(const LineReader& lines, std::string_view line, size_t dimension) {
  uint64_t count, width;
  if (count_fields(line) != 2 || !parse_integer(take_field(line), count)) return false;
  if (!parse_integer(take_field(line), width)) return false;
  if (width != dimension) fail_width(lines, width, dimension);
  return true;
}

// Splits a line into its word and its last `dimension` fields. A word of several fields whose last is a
// number is taken for a vector that is too wide.
std::string_view split_word(const LineReader& lines, std::string_view line, size_t dimension,
                            std::string_view& numbers) {
  size_t end = line.size();
  for (size_t i = 0; i < dimension; ++i) {
    while (end > 0 && is_separator(line[end - 1])) --end;
    while (end > 0 && !is_separator(line[end - 1])) --end;
  }
  if (end == 0) fail_width(lines, count_fields(line) - 1, dimension);
  numbers = line.substr(end);
  const std::string_view word = trim_end(line.substr(0, end));
  const size_t last = word.find_last_of(" \t");
  if (last != std::string_view::npos && parse_number(word.substr(last + 1))) {
    fail_width(lines, count_fields(line) - 1, dimension);
  }
  return word;
}

// Parses where the number stands, without looking for its end first; only what is unusual goes through
// parse_number.
void append_numbers(const LineReader& lines, std::string_view numbers, size_t dimension,
                    std::vector<float>& values) {
  for (size_t i = 0; i < dimension; ++i) {
    while (is_separator(numbers.front())) numbers.remove_prefix(1);
    const char* end = numbers.data() + numbers.size();
    float value;
    const auto [stopped, error] = std::from_chars(numbers.data(), end, value);
    if (error == std::errc() && (stopped == end || is_separator(*stopped)) && std::isfinite(value)) {
      numbers.remove_prefix(stopped - numbers.data());
    } else {
      const std::string_view field = take_field(numbers);
      const std::optional<float> number = parse_number(field);
      if (!number) fail("{}: '{}' is not a finite number", lines.place(), field);
      value = *number;
    }
    values.push_back(value);
  }
}

}  // namespace

WordVectors WordVectors::read(const std::string& path, size_t dimension, const Wanted& wanted) {
  WordVectors vectors(dimension);
  LineReader lines(path);
  bool any = false;
  for (std::string_view line; lines.next(line);) {
    if (lines.too_long()) fail("{}: a line longer than {} MB", lines.place(), lines.max_line() >> 20);
    line = trim_end(line);
    if (line.empty() || (lines.line() == 1 && is_header(lines, line, dimension))) continue;
    any = true;
    std::string_view numbers;
    const std::string_view word = split_word(lines, line, dimension, numbers);
    if (!wanted(word) || vectors.words_.find(word) >= 0) continue;
    append_numbers(lines, numbers, dimension, vectors.values_);
    vectors.words_.add(word);
  }
  if (!any) fail("{}: no word vectors", lines.name());
  return vectors;
}

}  // namespace otseq2set
