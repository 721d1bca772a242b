// What is unusual about documents that can be read all the same: bytes that are not UTF-8 are hardly read as was meant,
// and a file may have been cut short.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "otseq2set/reading/document.h"

namespace otseq2set::inline reading {

class ReadingWarnings {
 public:
  // Does not count documents that could not be read.
  void add(const Document& document);

  // How many are not UTF-8, where the first is, and what became of them; which files end without the end of a line.
  // A line each.
  std::vector<std::string> lines() const;

 private:
  size_t not_utf8_ = 0;
  std::string first_not_utf8_;          // its place
  std::vector<std::string> open_ends_;  // places
};

}  // namespace otseq2set::inline reading
