#include "otseq2set/text/ascii_words.h"

#include <string>

namespace otseq2set::inline text {

namespace {

// A character's class is a set of these.
constexpr uint8_t kLetter = 1;
constexpr uint8_t kDigit = 2;
constexpr uint8_t kConnector = 4;
constexpr uint8_t kBetweenLetters = 8;
constexpr uint8_t kBetweenDigits = 16;
constexpr uint8_t kWord = kLetter | kDigit | kConnector;
constexpr uint8_t kKeeps = 32;  // what makes a word of a piece: ICU's letters have @ among them, this has not

}  // namespace

bool is_ascii_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

AsciiWords::AsciiWords(const std::function<bool(std::string_view)>& one_word) {
  for (int i = 0; i < 128; ++i) {
    const std::string c(1, static_cast<char>(i));
    uint8_t& found = classes_[i];
    if (one_word(c + "a") && one_word(c + "1")) {
      found = one_word(c + "'a") ? kLetter : one_word(c + ",1") ? kDigit : kConnector;
    } else {
      found = (one_word("a" + c + "a") ? kBetweenLetters : 0) | (one_word("1" + c + "1") ? kBetweenDigits : 0);
    }
    if (is_ascii_letter_or_digit(c[0])) found |= kKeeps;
  }
}

// `seen` gets the classes of all characters of the word.
size_t AsciiWords::word_end(std::string_view text, size_t begin, uint8_t& seen) const {
  size_t i = begin;
  uint8_t last = class_of(text[i]);
  for (;;) {
    uint8_t next = last;
    do {
      last = next;
      seen |= last;
      if (++i == text.size()) return i;
      next = class_of(text[i]);
    } while (next & kWord);
    const uint8_t after = i + 1 < text.size() ? class_of(text[i + 1]) : 0;
    const bool joins =
        ((next & kBetweenLetters) && (last & after & kLetter)) || ((next & kBetweenDigits) && (last & after & kDigit));
    if (!joins) return i;
    last = after;
    ++i;
  }
}

void AsciiWords::for_each_word(std::string_view text, std::string_view lowered, size_t offset,
                               const Tokenizer::Visit& visit) const {
  for (size_t i = 0; i < text.size();) {
    if (!(class_of(text[i]) & kWord)) {
      ++i;
      continue;
    }
    uint8_t seen = 0;
    const size_t end = word_end(text, i, seen);
    if (seen & kKeeps) visit(lowered.substr(i, end - i), offset + i, offset + end);
    i = end;
  }
}

// All at once, as the compiler makes vector instructions of that loop.
std::string lower_ascii(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = static_cast<char>(c | (c >= 'A' && c <= 'Z' ? 0x20 : 0));
  return lowered;
}

}  // namespace otseq2set::inline text
