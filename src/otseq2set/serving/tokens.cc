#include "otseq2set/serving/tokens.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/text/ascii_words.h"
#include "otseq2set/text/line_reader.h"

namespace otseq2set::inline serving {

namespace {

// In a time that does not tell how much of it is right.
bool same_secret(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i % secret.size()]);
  }
  return difference == 0;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream words{std::string(line)};
  return {std::istream_iterator<std::string>(words), {}};
}

bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

void Tokens::add(std::string name, std::string secret) { tokens_.push_back({std::move(name), std::move(secret)}); }

void Tokens::add_file(const std::string& path) {
  LineReader lines(path);
  bool any = false;
  for (std::string_view line; lines.next(line);) {
    std::vector<std::string> words = words_of(line);
    if (words.empty() || words.front().front() == '#') continue;
    if (words.size() > 2) fail("{}: {} words, expected a name and a token", lines.place(), words.size());
    if (!is_printable_ascii(words.back())) fail("{}: the token is not of ASCII characters", lines.place());
    const bool known =
        std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& token) { return token.secret == words.back(); });
    if (known) fail("{}: the same token is given twice", lines.place());
    add(words.size() == 2 ? std::move(words.front()) : "", std::move(words.back()));
    any = true;
  }
  if (!any) fail("{}: no token; expected lines with a name and a token", path);
}

std::optional<std::string> Tokens::name_of(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  if (lower_ascii(authorization.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  const std::string_view given = authorization.substr(kScheme.size());
  const Token* found = nullptr;
  for (const Token& token : tokens_) {
    if (same_secret(given, token.secret)) found = &token;
  }
  if (found == nullptr) return std::nullopt;
  return found->name;
}

}  // namespace otseq2set::inline serving
