// Throwing what a user can cause and act on (include/otseq2set/error.h). The program prints the message after
// `error: ` and exits with the code given there. What only a bug can cause is an assertion.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "otseq2set/error.h"

namespace otseq2set::inline core {

// fail("{}:{}: not JSON", path, line)
template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace otseq2set::inline core
