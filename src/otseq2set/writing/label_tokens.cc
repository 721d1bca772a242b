#include "otseq2set/writing/label_tokens.h"

#include <unicode/uchar.h>

#include "otseq2set/core/error.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline writing {

std::string join_words(std::string_view label) {
  std::string token;
  for_each_character(label, [&](UChar32 character, size_t begin, size_t end) {
    const bool separates = character == 0 || (character > 0 && u_isUWhiteSpace(character));
    token += separates ? std::string_view("_") : label.substr(begin, end - begin);
  });
  return token;
}

std::string_view LabelTokens::token(std::string_view label) {
  const int32_t known = labels_.find(label);
  if (known >= 0) return tokens_[known];
  const std::string token = join_words(label);
  const int32_t number = labels_.add(label), token_number = tokens_.add(token);
  if (token_number != number) {
    fail(
        "the labels '{}' and '{}' would both be written as '{}', and could not be told apart again; "
        "rename one, or use {}, which can hold any label",
        excerpt(labels_[token_number]), excerpt(label), excerpt(token), way_out_);
  }
  joined_ += token != label;
  return tokens_[number];
}

}  // namespace otseq2set::inline writing
