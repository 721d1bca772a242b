// Splits at Unicode white space. Words are left exactly as they are and none is dropped.
#pragma once

#include "otseq2set/text/tokenizer.h"

namespace otseq2set {

class WhitespaceTokenizer : public Tokenizer {
 public:
  void tokenize(std::string_view utf8, std::vector<Token>& tokens) const override;
};

}  // namespace otseq2set
