// Files without texts: each document is a list of numbered words with weights, as in the XC repository and
// LIBSVM. Which word came first is lost in them, and a sequence model has nothing to read.
#pragma once

#include <string_view>
#include <vector>

namespace otseq2set::inline reading {

// The text up to the next blank, taken off the line together with the blanks before it; empty at its end.
std::string_view take_token(std::string_view& line);

// `lines` are the first lines of a file, without blank ones. True when they are
//   N D L                                   a header of three counts, which LIBSVM has not
//   12,57 3:0.25 17:1.5 ...                 labels, then word:weight
bool is_bag_of_words(const std::vector<std::string_view>& lines);

}  // namespace otseq2set::inline reading
