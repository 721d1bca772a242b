// Names come from files and may hold any bytes; a page may not.
#pragma once

#include <string>
#include <string_view>

namespace otseq2set::inline report {

// Bytes that are no UTF-8, and characters that XML forbids, become U+FFFD.
std::string valid_text(std::string_view text);

}  // namespace otseq2set::inline report
