#include "otseq2set/text/label_words.h"

#include <algorithm>

namespace otseq2set::inline text {

std::vector<std::string> label_words(const std::string& name, const Tokenizer& tokenizer) {
  if (name.find("://") != std::string::npos || name.rfind("urn:", 0) == 0) return {};
  std::string spaced = name;
  std::replace(spaced.begin(), spaced.end(), '_', ' ');
  std::vector<Token> tokens;
  tokenizer.tokenize(spaced, tokens);
  std::vector<std::string> words;
  for (Token& token : tokens) words.push_back(std::move(token.text));
  return words;
}

}  // namespace otseq2set::inline text
