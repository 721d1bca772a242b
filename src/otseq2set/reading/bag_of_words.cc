#include "otseq2set/reading/bag_of_words.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace otseq2set::inline reading {

namespace {

template <typename Number>
bool is_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Number value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

bool is_count(std::string_view text) { return is_number<uint64_t>(text); }

// 17:1.5
bool is_weighted_word(std::string_view token) {
  const size_t colon = token.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view word = token.substr(0, colon);
  return (is_count(word) || word == "qid") && is_number<double>(token.substr(colon + 1));
}

// 12,57 or -1
bool is_label_list(std::string_view token) {
  for (;;) {
    const size_t comma = token.find(',');
    if (!is_number<double>(token.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    token.remove_prefix(comma + 1);
  }
}

bool is_weighted_line(std::string_view line) {
  std::string_view token = take_token(line);
  if (is_label_list(token)) token = take_token(line);
  if (token.empty()) return false;
  for (; !token.empty(); token = take_token(line)) {
    if (token.front() == '#') return true;  // a comment of LIBSVM
    if (!is_weighted_word(token)) return false;
  }
  return true;
}

bool is_header(std::string_view line) {
  for (int i = 0; i < 3; ++i) {
    if (!is_count(take_token(line))) return false;
  }
  return take_token(line).empty();
}

}  // namespace

std::string_view take_token(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view token = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(token.size());
  return token;
}

bool is_bag_of_words(const std::vector<std::string_view>& lines) {
  if (lines.empty()) return false;
  const auto first = lines.begin() + (is_header(lines.front()) ? 1 : 0);
  return first != lines.end() && std::all_of(first, lines.end(), is_weighted_line);
}

}  // namespace otseq2set::inline reading
