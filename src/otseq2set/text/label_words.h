#pragma once

#include <string>
#include <vector>

#include "otseq2set/text/tokenizer.h"

namespace otseq2set::inline text {

// The words of a label's name; `_` separates words like a space does. A URI is no name: its words are those of a server,
// the same for all labels, and would make all of them alike.
std::vector<std::string> label_words(const std::string& name, const Tokenizer& tokenizer);

}  // namespace otseq2set::inline text
