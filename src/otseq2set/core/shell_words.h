// A command line as text that a shell reads back unchanged.
#pragma once

#include <string>
#include <vector>

namespace otseq2set::inline core {

std::string shell_line(const std::vector<std::string>& arguments);

}  // namespace otseq2set::inline core
