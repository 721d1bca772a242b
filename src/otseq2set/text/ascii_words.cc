#include "otseq2set/text/ascii_words.h"

#include <string>

namespace otseq2set {

namespace {

// A character's class is a set of these.
constexpr uint8_t kLetter = 1;
constexpr uint8_t kDigit = 2;
constexpr uint8_t kConnector = 4;
constexpr uint8_t kBetweenLetters = 8;
constexpr uint8_t kBetweenDigits = 16;
constexpr uint8_t kWord = kLetter | kDigit | kConnector;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace

AsciiWords::AsciiWords(const std::function<bool(std::string_view)>& one_word) {
  for (int i = 0; i < 128; ++i) {
    const std::string c(1, static_cast<char>(i));
    uint8_t& found = classes_[i];
    if (one_word(c + "a") && one_word(c + "1")) {
      found = one_word(c + "'a") ? kLetter : one_word(c + ",1") ? kDigit : kConnector;
    } else {
      found =
          (one_word("a" + c + "a") ? kBetweenLetters : 0) | (one_word("1" + c + "1") ? kBetweenDigits : 0);
    }
  }
}

size_t AsciiWords::word_end(std::string_view text, size_t begin) const {
  size_t i = begin;
  for (;;) {
    const uint8_t last = class_of(text[i++]);
    if (i == text.size()) return i;
    const uint8_t next = class_of(text[i]);
    if (next & kWord) continue;
    const uint8_t after = i + 1 < text.size() ? class_of(text[i + 1]) : 0;
    const bool joins = ((next & kBetweenLetters) && (last & after & kLetter)) ||
                       ((next & kBetweenDigits) && (last & after & kDigit));
    if (!joins) return i;
    ++i;
  }
}

void AsciiWords::append(std::string_view text, size_t offset, std::vector<Token>& tokens) const {
  for (size_t i = 0; i < text.size();) {
    if (!(class_of(text[i]) & kWord)) {
      ++i;
      continue;
    }
    const size_t end = word_end(text, i);
    append_ascii_word(text.substr(i, end - i), offset + i, tokens);
    i = end;
  }
}

void append_ascii_word(std::string_view word, size_t begin, std::vector<Token>& tokens) {
  bool keep = false;
  for (char c : word) keep = keep || is_letter_or_digit(c);
  if (!keep) return;
  tokens.push_back({std::string(word), begin, begin + word.size()});
  for (char& c : tokens.back().text) c = lower(c);
}

}  // namespace otseq2set
