// What somebody who mistyped a name may have meant.
#pragma once

#include <string>
#include <vector>

namespace otseq2set::inline core {

// The one of the names, of which there is at least one, that takes the fewest changes of a letter; the first of several.
const std::string& nearest_name(const std::string& given, const std::vector<std::string>& names);

}  // namespace otseq2set::inline core
