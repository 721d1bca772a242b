#include "otseq2set/cli/input_warnings.h"

#include <fmt/format.h>

#include <cstdio>

namespace otseq2set::inline cli {

void InputWarnings::add(const Document& document, const Explanation& answer) {
  reading_.add(document);
  words_ += answer.words_read;
  unknown_ += answer.words_unknown;
}

void InputWarnings::tell() const {
  for (const std::string& warning : reading_.lines()) fmt::print(stderr, "{}\n", warning);
  if (2 * unknown_ <= words_) return;
  fmt::print(stderr,
             "warning: the model does not know {} of the {} words ({:.1f} %); are the texts of another language or "
             "kind than the training documents?\n",
             unknown_, words_, 100.0 * static_cast<double>(unknown_) / static_cast<double>(words_));
}

}  // namespace otseq2set::inline cli
