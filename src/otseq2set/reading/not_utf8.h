// Documents with bytes that are not UTF-8, to be told about: they are read all the same, but hardly as was meant.
#pragma once

#include <cstddef>
#include <string>

#include "otseq2set/reading/document.h"

namespace otseq2set::inline reading {

class NotUtf8 {
 public:
  // Does not count documents that could not be read.
  void add(const Document& document);

  // How many, where the first is, and what became of them; empty when there are none.
  std::string warning() const;

 private:
  size_t documents_ = 0;
  std::string first_;  // its place
};

}  // namespace otseq2set::inline reading
