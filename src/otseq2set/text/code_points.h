// Byte offsets of a text as offsets in code points, which is what most languages count in:
//
//   const CodePoints place("größer als");
//   place(7)   // 5: the seven bytes before the r are five characters
//
// A piece that is not UTF-8 counts as the one U+FFFD that repair_utf8 puts in its place.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace otseq2set::inline text {

class CodePoints {
 public:
  explicit CodePoints(std::string_view utf8);

  // Of a character's first byte, or of the text's size.
  size_t operator()(size_t byte) const;

 private:
  size_t ascii_;                // bytes before the first that is not ASCII: there, bytes are code points
  std::vector<size_t> begins_;  // first bytes of all characters from there on
};

}  // namespace otseq2set::inline text
