// What is unusual about documents that are predicted or explained, told once at the end.
#pragma once

#include <cstddef>

#include "otseq2set/inference/explanation.h"
#include "otseq2set/reading/document.h"
#include "otseq2set/reading/reading_warnings.h"

namespace otseq2set::inline cli {

class InputWarnings {
 public:
  void add(const Document& document, const Explanation& answer);

  // On standard error: what is unusual about the files, and texts of which the model knows less than half of the words.
  void tell() const;

 private:
  ReadingWarnings reading_;
  size_t words_ = 0, unknown_ = 0;
};

}  // namespace otseq2set::inline cli
