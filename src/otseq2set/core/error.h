// What a user can cause and act on: a wrong file, a wrong option, a full disk.
//
// The message is one line that names the place (file:line, key, option), what was found and what
// is expected. The program prints it after `error: ` and exits with the code below. What only a
// bug can cause is an assertion.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace otseq2set::inline core {

// Input or environment is at fault; exit code 1.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// The command line or the configuration is at fault; exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// fail("{}:{}: not JSON", path, line)
template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

// A long run was asked to stop; what is needed to go on is saved.
class Interrupted : public Error {
 public:
  using Error::Error;
};

}  // namespace otseq2set::inline core
