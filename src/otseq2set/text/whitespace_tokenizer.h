// Splits at Unicode white space. Words are left exactly as they are and none is dropped.
#pragma once

#include "otseq2set/text/tokenizer.h"

namespace otseq2set::inline text {

class WhitespaceTokenizer : public Tokenizer {
 public:
  void for_each_word(std::string_view utf8, const Visit& visit) const override;
};

}  // namespace otseq2set::inline text
