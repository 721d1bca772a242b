// Labels as single tokens, for formats that separate labels by white space: `_` joins the words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "otseq2set/text/string_index.h"

namespace otseq2set::inline writing {

// common agricultural policy -> common_agricultural_policy; every character of white space is one `_`.
std::string join_words(std::string_view label);

// The tokens of the labels of one file. Which label a token stands for must be certain.
class LabelTokens {
 public:
  // `way_out` names the option that keeps any labels apart, such as "--to jsonl".
  explicit LabelTokens(std::string way_out) : way_out_(std::move(way_out)) {}

  // Valid until the next call. Throws an Error when another label has the same token.
  std::string_view token(std::string_view label);

  size_t joined() const { return joined_; }  // labels whose token is not the label itself

 private:
  std::string way_out_;
  StringIndex labels_;
  StringIndex tokens_;  // of the labels of the same numbers
  size_t joined_ = 0;
};

}  // namespace otseq2set::inline writing
