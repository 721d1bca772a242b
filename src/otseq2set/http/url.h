// The encoding of addresses and forms.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace otseq2set::inline http {

// %41 becomes A, and in a form or a query + becomes a space; none when a percent sign is not followed by two
// hexadecimal digits.
std::optional<std::string> decode_percent(std::string_view text, bool plus_is_space);

constexpr size_t kMostFields = 100;  // of a form

// a=1&b=two+words; of a name that comes twice, the first counts. Throws a Problem when it cannot be decoded, or has too
// many fields.
std::map<std::string, std::string> parse_form(std::string_view text);

}  // namespace otseq2set::inline http
