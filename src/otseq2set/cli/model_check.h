// otseq2set check --model: whether a model folder is what was written, file by file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace otseq2set::inline cli {

struct ModelCheck {
  bool vouched_for = false;         // there is a list of what the files must be
  size_t files = 0;                 // in it
  std::vector<std::string> faults;  // one line each, beginning with the file
};

ModelCheck check_model(const std::string& path);

}  // namespace otseq2set::inline cli
