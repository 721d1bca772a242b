#include "otseq2set/text/tokenizer.h"

#include "otseq2set/core/error.h"
#include "otseq2set/text/icu_tokenizer.h"
#include "otseq2set/text/whitespace_tokenizer.h"

namespace otseq2set::inline text {

void Tokenizer::tokenize(std::string_view utf8, std::vector<Token>& tokens) const {
  tokens.clear();
  for_each_word(utf8, [&](std::string_view word, size_t begin, size_t end) {
    tokens.push_back({std::string(word), begin, end});
  });
}

std::unique_ptr<Tokenizer> Tokenizer::make(const std::string& name) {
  if (name == "icu") return std::make_unique<IcuTokenizer>();
  if (name == "whitespace") return std::make_unique<WhitespaceTokenizer>();
  fail_usage("text.tokenizer: there is no tokenizer '{}'; valid are icu, whitespace", name);
}

}  // namespace otseq2set::inline text
