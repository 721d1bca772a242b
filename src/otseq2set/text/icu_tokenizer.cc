#include "otseq2set/text/icu_tokenizer.h"

#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <new>

#include "otseq2set/core/error.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

namespace {

constexpr size_t kLongestWord = 1 << 10;                 // bytes, unless it is ASCII
constexpr size_t kLongestPiece = 2 * Tokenizer::kPiece;  // likewise

void check(UErrorCode status, const char* what) {
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (U_FAILURE(status)) fail("ICU cannot {}: {} (are its data files installed?)", what, u_errorName(status));
}

// ICU's word iterator over UTF-8. It holds the text while it walks, hence one for each thread.
class Boundaries {
 public:
  Boundaries() {
    UErrorCode status = U_ZERO_ERROR;
    iterator_.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    check(status, "find word boundaries");
  }
  ~Boundaries() { utext_close(&text_); }

  static Boundaries& of_this_thread() {
    thread_local Boundaries boundaries;
    return boundaries;
  }

  // Calls visit(begin, end) for each segment between two boundaries; words, spaces and punctuation alike.
  template <typename Visit>
  void segments(std::string_view utf8, const Visit& visit) {
    if (utf8.size() > INT_MAX) fail("a text of {} bytes is too long; at most {} can be split", utf8.size(), INT_MAX);
    UErrorCode status = U_ZERO_ERROR;
    utext_openUTF8(&text_, utf8.data(), static_cast<int64_t>(utf8.size()), &status);
    iterator_->setText(&text_, status);
    check(status, "read the text");
    int32_t begin = iterator_->first();
    for (int32_t end = iterator_->next(); end != icu::BreakIterator::DONE; end = iterator_->next()) {
      visit(static_cast<size_t>(begin), static_cast<size_t>(end));
      begin = end;
    }
  }

 private:
  std::unique_ptr<icu::BreakIterator> iterator_;
  UText text_ = UTEXT_INITIALIZER;
};

size_t count_segments(std::string_view text) {
  size_t segments = 0;
  Boundaries::of_this_thread().segments(text, [&](size_t, size_t) { ++segments; });
  return segments;
}

bool one_word(std::string_view text) { return count_segments(text) == 1; }

bool has_letter_or_digit(const icu::UnicodeString& word) {
  for (int32_t i = 0; i < word.length(); i = word.moveIndex32(i, 1)) {
    if (u_isalnum(word.char32At(i))) return true;
  }
  return false;
}

void visit_ascii_word(std::string_view raw, size_t begin, const Tokenizer::Visit& visit) {
  if (!std::any_of(raw.begin(), raw.end(), is_ascii_letter_or_digit)) return;
  visit(lower_ascii(raw), begin, begin + raw.size());
}

// Where a character begins, at `end` or before.
size_t character_begin(std::string_view text, size_t end) {
  for (size_t back = 0; back < U8_MAX_LENGTH && back < end; ++back) {
    if (!U8_IS_TRAIL(static_cast<uint8_t>(text[end - back]))) return end - back;
  }
  return end;  // not UTF-8 anyway
}

// Visits the normalised word. Lower-casing comes last,
// because NFKC turns symbols such as U+2102 into capitals.
void visit_short_word(std::string_view raw, size_t begin, const Tokenizer::Visit& visit) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfkc = icu::Normalizer2::getNFKCInstance(status);
  check(status, "normalise text");
  const icu::StringPiece piece(raw.data(), static_cast<int32_t>(raw.size()));
  icu::UnicodeString word = nfkc->normalize(icu::UnicodeString::fromUTF8(piece), status);
  check(status, "normalise text");
  if (!has_letter_or_digit(word)) return;
  std::string utf8;
  word.toLower(icu::Locale::getRoot()).toUTF8String(utf8);
  visit(utf8, begin, begin + raw.size());
}

void visit_word(std::string_view raw, size_t begin, const Tokenizer::Visit& visit) {
  if (is_ascii(raw)) return visit_ascii_word(raw, begin, visit);
  while (raw.size() > kLongestWord) {
    const size_t end = character_begin(raw, kLongestWord);
    visit_short_word(raw.substr(0, end), begin, visit);
    raw.remove_prefix(end);
    begin += end;
  }
  visit_short_word(raw, begin, visit);
}

void for_each_word_by_icu(std::string_view piece, size_t offset, const Tokenizer::Visit& visit) {
  Boundaries::of_this_thread().segments(
      piece, [&](size_t begin, size_t end) { visit_word(piece.substr(begin, end - begin), offset + begin, visit); });
}

// Is the character, whatever stands around it, neither part of a word nor a reason for one to go on?
bool separates(UChar32 character) {
  constexpr uint32_t kCandidates = U_GC_P_MASK | U_GC_S_MASK | U_GC_Z_MASK | U_GC_CC_MASK;
  if (!(U_GET_GC_MASK(character) & kCandidates)) return false;
  std::string utf8;
  icu::UnicodeString(character).toUTF8String(utf8);
  bool word = false;
  visit_word(utf8, 0, [&](std::string_view, size_t, size_t) { word = true; });
  if (word) return false;
  for (const char* c : {"a", "1", "_", "\u05d0", "\u30ab", " "}) {
    if (count_segments(c + utf8 + c) != 3) return false;
  }
  return true;
}

// The small letter when the character does what an ASCII letter does: as to boundaries, normalising, which
// changes nothing, and lower-casing, which looks at nothing else (a capital sigma's does). Otherwise 0.
uint16_t small_letter(UChar32 character) {
  if (!u_isalnum(character) || u_getIntPropertyValue(character, UCHAR_WORD_BREAK) != U_WB_ALETTER) return 0;
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfkc = icu::Normalizer2::getNFKCInstance(status);
  const icu::UnicodeString letter(character);
  const bool normal = nfkc->isNormalized(letter, status) && nfkc->hasBoundaryBefore(character);
  check(status, "normalise text");
  icu::UnicodeString small = letter, in_word = "a" + letter;
  small.toLower(icu::Locale::getRoot());
  in_word.toLower(icu::Locale::getRoot());
  const bool plain = normal && small.length() == 1 && in_word == "a" + small;
  return plain && U8_LENGTH(small.charAt(0)) == 2 ? small.charAt(0) : 0;
}

// No rule of UAX #29 looks across a space or line feed when a letter or digit follows.
bool is_certain_boundary(std::string_view text, size_t i) {
  return (text[i - 1] == ' ' || text[i - 1] == '\n') && is_ascii_letter_or_digit(text[i]);
}

// Nor does one when anything else follows that is no space and does not join what is before it; before a line feed and
// behind it there is a boundary always.
bool ends_piece(std::string_view text, size_t i) {
  if (is_certain_boundary(text, i) || text[i - 1] == '\n') return true;
  if (text[i - 1] != ' ') return false;
  UChar32 next;
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  U8_NEXT(bytes, i, text.size(), next);
  if (next < 0) return false;
  const int32_t kind = u_getIntPropertyValue(next, UCHAR_WORD_BREAK);
  return kind != U_WB_EXTEND && kind != U_WB_FORMAT && kind != U_WB_ZWJ && kind != U_WB_WSEGSPACE;
}

size_t find_non_ascii(std::string_view text, size_t from) {
  constexpr size_t kBlock = 64;
  while (from + kBlock <= text.size() && is_ascii(text.substr(from, kBlock))) from += kBlock;
  while (from < text.size() && static_cast<unsigned char>(text[from]) < 0x80) ++from;
  return from;
}

}  // namespace

IcuTokenizer::IcuTokenizer() : ascii_(one_word) {
  for (size_t i = 0x80; i < kTable; ++i) separators_[i] = separates(static_cast<UChar32>(i));
  for (size_t i = 0x80; i < kTwoBytes; ++i) small_letters_[i] = small_letter(static_cast<UChar32>(i));
}

size_t IcuTokenizer::first_piece(std::string_view utf8) const {
  const size_t longest = std::min(utf8.size(), kLongestPiece);
  for (size_t i = kPiece; i < longest; ++i) {
    if (ends_piece(utf8, i)) return i;
  }
  return longest < utf8.size() ? character_begin(utf8, longest) : longest;
}

void IcuTokenizer::visit_piece(std::string_view utf8, size_t offset, const Visit& visit) const {
  std::string lowered = lower_ascii(utf8);
  if (find_non_ascii(utf8, 0) == utf8.size()) return ascii_.for_each_word(utf8, lowered, offset, visit);
  const std::string text = as_ascii(utf8, lowered);
  const std::string_view ascii = text, words = lowered;
  size_t done = 0;
  for (;;) {
    const size_t non_ascii = find_non_ascii(ascii, done);
    if (non_ascii == ascii.size()) break;
    size_t begin = non_ascii;
    while (begin > done && !is_certain_boundary(ascii, begin)) --begin;
    size_t end = non_ascii + 1;
    while (end < utf8.size() && !is_certain_boundary(ascii, end)) ++end;
    ascii_.for_each_word(ascii.substr(done, begin - done), words.substr(done, begin - done), offset + done, visit);
    for_each_word_by_icu(utf8.substr(begin, end - begin), offset + begin, visit);
    done = end;
  }
  ascii_.for_each_word(ascii.substr(done), words.substr(done), offset + done, visit);
}

// The text with the bytes of separators replaced by ones of ASCII that separate too, and those of plain
// letters by letters. `lowered` gets their small letters.
std::string IcuTokenizer::as_ascii(std::string_view utf8, std::string& lowered) const {
  constexpr char kSeparator = '\1', kLetter = 'a';
  std::string text(utf8);
  const auto* bytes = reinterpret_cast<const uint8_t*>(utf8.data());
  for (size_t i = find_non_ascii(utf8, 0); i < utf8.size();) {
    const size_t begin = i;
    UChar32 character;
    U8_NEXT(bytes, i, utf8.size(), character);
    if (character >= 0x80 && static_cast<size_t>(character) < kTable && separators_[character]) {
      std::fill(text.begin() + static_cast<ptrdiff_t>(begin), text.begin() + static_cast<ptrdiff_t>(i), kSeparator);
    } else if (character >= 0x80 && static_cast<size_t>(character) < kTwoBytes && small_letters_[character]) {
      text[begin] = text[begin + 1] = kLetter;
      lowered[begin] = static_cast<char>(0xc0 | small_letters_[character] >> 6);
      lowered[begin + 1] = static_cast<char>(0x80 | (small_letters_[character] & 0x3f));
    }
    if (i < utf8.size() && bytes[i] < 0x80) i = find_non_ascii(utf8, i);
  }
  return text;
}

void IcuTokenizer::tokenize_by_icu_alone(std::string_view utf8, std::vector<Token>& tokens) const {
  tokens.clear();
  for_each_word_by_icu(utf8, 0, [&](std::string_view word, size_t begin, size_t end) {
    tokens.push_back({std::string(word), begin, end});
  });
}

}  // namespace otseq2set::inline text
