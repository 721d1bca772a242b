#include "otseq2set/text/whitespace_tokenizer.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>

namespace otseq2set::inline text {

void WhitespaceTokenizer::for_each_word(std::string_view utf8, const Visit& visit) const {
  const auto* bytes = reinterpret_cast<const uint8_t*>(utf8.data());
  const auto add = [&](size_t begin, size_t end) {
    if (begin < end) visit(utf8.substr(begin, end - begin), begin, end);
  };
  size_t word = 0;
  for (size_t i = 0; i < utf8.size();) {
    const size_t here = i;
    UChar32 character;
    U8_NEXT(bytes, i, utf8.size(), character);
    if (character < 0 || !u_isUWhiteSpace(character)) continue;
    add(word, here);
    word = i;
  }
  add(word, utf8.size());
}

}  // namespace otseq2set::inline text
