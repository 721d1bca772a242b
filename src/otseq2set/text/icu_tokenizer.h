// Words by the Unicode rules. Boundaries are found on the raw bytes first and each word is normalised
// afterwards, so that a word keeps its place in the raw text whatever normalising does to its length.
//
// ICU takes several times as long, so it only sees what needs it: the text is cut where a boundary is
// certain (a space or line feed followed by a letter or digit), and pieces that are ASCII go through
// AsciiWords. So do pieces whose other characters do nothing but separate, such as dashes and quotation
// marks, or are letters as plain as those of ASCII, such as most of Latin, Greek, Cyrillic and Arabic.
//
// Two limits keep the time in proportion to the text, whoever wrote it: what runs on for 128 KB without a space or line
// feed is cut there, and so is a word of more than 1 KB that is not ASCII (normalising takes the square of the marks in
// a row).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>

#include "otseq2set/text/ascii_words.h"
#include "otseq2set/text/tokenizer.h"

namespace otseq2set::inline text {

class IcuTokenizer : public Tokenizer {
 public:
  IcuTokenizer();

  // The definition of the result, slowly: all of the text through ICU. For tests.
  void tokenize_by_icu_alone(std::string_view utf8, std::vector<Token>& tokens) const;

 private:
  static constexpr size_t kTable = 0x20d0;  // up to general punctuation and signs of currencies
  static constexpr size_t kTwoBytes = 0x800;

  size_t first_piece(std::string_view utf8) const override;
  void visit_piece(std::string_view utf8, size_t offset, const Visit& visit) const override;
  std::string as_ascii(std::string_view utf8, std::string& lowered) const;

  AsciiWords ascii_;
  std::bitset<kTable> separators_;  // characters beyond ASCII that do nothing but separate
  // Of two bytes in UTF-8: the small letter, of two bytes too, where a letter is plain; else 0.
  std::array<uint16_t, kTwoBytes> small_letters_ = {};
};

}  // namespace otseq2set::inline text
