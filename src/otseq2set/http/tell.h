// Messages of the server to whoever started it.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace otseq2set::inline http {

// A line on standard error. The terminal or the pipe behind it may be long gone: then nobody hears it, and
// that is no reason to stop serving.
template <typename... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string line = fmt::format(format, std::forward<Arguments>(arguments)...) + '\n';
  std::fputs(line.c_str(), stderr);
}

}  // namespace otseq2set::inline http
