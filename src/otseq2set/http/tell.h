// Messages of the server to whoever started it.
#pragma once

#include <fmt/format.h>

#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace otseq2set::inline http {

void tell_line(std::string_view line);

// A line on standard error. The terminal or the pipe behind it may be long gone, or nobody reads it: then nobody hears
// it, and that is no reason to stop serving.
template <typename... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  try {
    tell_line(fmt::format(format, std::forward<Arguments>(arguments)...) + '\n');
  } catch (const std::bad_alloc&) {
    tell_line("error: no memory is left, not even for a message\n");
  }
}

}  // namespace otseq2set::inline http
