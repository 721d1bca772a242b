#include "otseq2set/text/tokenizer.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "otseq2set/core/error.h"
#include "otseq2set/text/icu_tokenizer.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

namespace {

// Words are left exactly as they are and none is dropped.
class WhitespaceTokenizer : public Tokenizer {
  size_t first_piece(std::string_view utf8) const override {
    return std::min(utf8.find_first_of(" \n\t", kPiece), utf8.size());
  }

  void visit_piece(std::string_view utf8, size_t offset, const Visit& visit) const override {
    const auto add = [&](size_t begin, size_t end) {
      if (begin < end) visit(utf8.substr(begin, end - begin), offset + begin, offset + end);
    };
    size_t word = 0;
    for_each_character(utf8, [&](UChar32 character, size_t begin, size_t end) {
      if (character < 0 || !u_isUWhiteSpace(character)) return;
      add(word, begin);
      word = end;
    });
    add(word, utf8.size());
  }
};

}  // namespace

void Tokenizer::for_each_word(std::string_view utf8, const Visit& visit) const {
  for_each_word(utf8, visit, [] { return false; });
}

void Tokenizer::for_each_word(std::string_view utf8, const Visit& visit, const std::function<bool()>& enough) const {
  size_t done = 0;
  while (utf8.size() - done > kPiece) {
    const std::string_view rest = utf8.substr(done);
    const size_t end = first_piece(rest);
    visit_piece(rest.substr(0, end), done, visit);
    if (enough()) return;
    done += end;
  }
  visit_piece(utf8.substr(done), done, visit);
}

void Tokenizer::tokenize(std::string_view utf8, std::vector<Token>& tokens) const {
  tokens.clear();
  for_each_word(utf8, [&](std::string_view word, size_t begin, size_t end) {
    tokens.push_back({std::string(word), begin, end});
  });
}

std::unique_ptr<Tokenizer> Tokenizer::make(const std::string& name) {
  if (name == "icu") return std::make_unique<IcuTokenizer>();
  if (name == "whitespace") return std::make_unique<WhitespaceTokenizer>();
  fail_usage("text.tokenizer: unknown tokenizer '{}'; the tokenizers are icu, whitespace", name);
}

}  // namespace otseq2set::inline text
