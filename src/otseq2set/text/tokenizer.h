// From text to words, with the place of each word in the text so that an explanation can point at it.
//
//   auto tokenizer = Tokenizer::make("icu");
//   tokenizer->tokenize("The EU's Fish.", tokens);   // the[0,3) eu's[4,8) fish[9,13)
//
// "icu"         Unicode word boundaries (UAX #29 as the linked ICU implements it, root locale), with
//               dictionaries for Chinese, Japanese, Thai, ...; each word NFKC-normalised and lower-cased;
//               what has neither a letter nor a digit is dropped.
// "whitespace"  split at Unicode white space and nothing else, for text that is already tokenised.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace otseq2set::inline text {

struct Token {
  std::string text;   // the normalised word
  size_t begin, end;  // the bytes [begin, end) of the raw text that it stands for
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Given the normalised word, which is valid during the call, and its bytes [begin, end) of the raw text.
  using Visit = std::function<void(std::string_view word, size_t begin, size_t end)>;

  // Calls visit for each word of the text, in its order. Thread-safe. Bytes that are not UTF-8 do no harm.
  virtual void for_each_word(std::string_view utf8, const Visit& visit) const = 0;

  // Replaces `tokens` by the words of the text.
  void tokenize(std::string_view utf8, std::vector<Token>& tokens) const;

  static std::unique_ptr<Tokenizer> make(const std::string& name);
};

}  // namespace otseq2set::inline text
