// Unicode word boundaries for ASCII text, by table instead of ICU's state machine:
// the same words many times as fast.
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
#include <string>
#include <string_view>

#include "otseq2set/text/tokenizer.h"

namespace otseq2set::inline text {

class AsciiWords {
 public:
  // one_word(s): does the reference find no boundary inside s?
  explicit AsciiWords(const std::function<bool(std::string_view)>& one_word);

  // Calls visit for the words of `text`, which must be ASCII, with `offset` added to their places. What is
  // visited are the bytes that stand in `lowered` at the same places.
  void for_each_word(std::string_view text, std::string_view lowered, size_t offset,
                     const Tokenizer::Visit& visit) const;

 private:
  size_t word_end(std::string_view text, size_t begin, uint8_t& seen) const;
  uint8_t class_of(char c) const { return classes_[static_cast<unsigned char>(c)]; }

  std::array<uint8_t, 128> classes_;
};

// The text with ASCII capitals made small.
std::string lower_ascii(std::string_view text);

// An ASCII letter or digit; classes of word boundaries know other letters too.
bool is_ascii_letter_or_digit(char c);

}  // namespace otseq2set::inline text
