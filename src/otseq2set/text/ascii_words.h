// Unicode word boundaries for ASCII text, by table instead of ICU's state machine: the same words four times
// as fast.
//
// What UAX #29 says of ASCII, with the classes that ICU gives to the 128 characters:
//   letters, digits and connectors (_) stick together          fish_2            -> fish_2
//   ' and . join two letters                                   don't, e.g        -> don't, e.g
//   ' . , ; join two digits                                    1,000.5           -> 1,000.5
//   everything else separates                                  well-known        -> well, known
// The classes differ between releases of ICU (in 72, @ is a letter and a colon no longer joins letters), so
// the table is not written down here but asked of the linked ICU, once, by the constructor. A test compares
// the two on random strings.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "otseq2set/text/tokenizer.h"

namespace otseq2set {

class AsciiWords {
 public:
  // one_word(s): does the reference find no boundary inside s?
  explicit AsciiWords(const std::function<bool(std::string_view)>& one_word);

  // Appends the words of `text`, which must be ASCII, with `offset` added to their places.
  void append(std::string_view text, size_t offset, std::vector<Token>& tokens) const;

 private:
  size_t word_end(std::string_view text, size_t begin) const;
  uint8_t class_of(char c) const { return classes_[static_cast<unsigned char>(c)]; }

  std::array<uint8_t, 128> classes_;
};

// Appends the lower-cased word when it has a letter or a digit. `word` must be ASCII.
void append_ascii_word(std::string_view word, size_t begin, std::vector<Token>& tokens);

}  // namespace otseq2set
