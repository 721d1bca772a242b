// From text to words, with the place of each word in the text so that an explanation can point at it.
//
//   auto tokenizer = Tokenizer::make("icu");
//   tokenizer->tokenize("The EU's Fish.", tokens);   // the[0,3) eu's[4,8) fish[9,13)
//
// "icu"         Unicode word boundaries (UAX #29 as the linked ICU implements it, root locale), with
//               dictionaries for Chinese, Japanese, Thai, ...; each word NFKC-normalised and lower-cased;
//               what has neither a letter nor a digit is dropped.
// "whitespace"  split at Unicode white space and nothing else, for text that is already tokenised.
//
// A text of any length takes little memory and a time in proportion to what is visited: it is split piece by piece.
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
  void for_each_word(std::string_view utf8, const Visit& visit) const;
  // The same, but not to the end of the text when it is long and `enough` says after a piece of it that it is.
  void for_each_word(std::string_view utf8, const Visit& visit, const std::function<bool()>& enough) const;

  // Replaces `tokens` by the words of the text.
  void tokenize(std::string_view utf8, std::vector<Token>& tokens) const;

  static std::unique_ptr<Tokenizer> make(const std::string& name);

  static constexpr size_t kPiece = 64 << 10;  // bytes, about

 private:
  // The bytes of a first piece of a text over kPiece that ends where a word surely ends, or all.
  virtual size_t first_piece(std::string_view utf8) const = 0;
  // `offset` is added to the places of the words.
  virtual void visit_piece(std::string_view utf8, size_t offset, const Visit& visit) const = 0;
};

}  // namespace otseq2set::inline text
