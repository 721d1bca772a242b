// One document as a file gives it, before anything is split into words or numbered.
#pragma once

#include <string>
#include <vector>

namespace otseq2set {

struct Document {
  std::string id;
  std::string text;                 // UTF-8; broken bytes are left to the tokenizer
  std::vector<std::string> labels;  // UTF-8, distinct, in the order of the file
  std::string error;  // not empty: this document could not be read; one line that begins with file:line
  std::string place;  // file:line
};

}  // namespace otseq2set
