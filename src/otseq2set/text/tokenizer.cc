#include "otseq2set/text/tokenizer.h"

#include <unicode/uchar.h>

#include "otseq2set/core/error.h"
#include "otseq2set/text/icu_tokenizer.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

namespace {

// Words are left exactly as they are and none is dropped.
class WhitespaceTokenizer : public Tokenizer {
  void for_each_word(std::string_view utf8, const Visit& visit) const override {
    const auto add = [&](size_t begin, size_t end) {
      if (begin < end) visit(utf8.substr(begin, end - begin), begin, end);
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
