// Strings as JSON has them, for files that are written line by line.
#pragma once

#include <string>
#include <string_view>

namespace otseq2set::inline text {

// Appends the text in quotes, with escapes only where JSON wants them. What is not UTF-8 becomes U+FFFD, as
// JSON has no other bytes.
void append_json_string(std::string& out, std::string_view text);

std::string json_string(std::string_view text);

}  // namespace otseq2set::inline text
