// What the library throws when a user can act on it: a wrong file, a wrong setting, a full disk.
//
// The message is one line that names the place (file:line, key, option), what was found and what is expected. Where
// it names options of the program, such as --resume, the field of the same name is meant. Besides, only std::bad_alloc
// and what the caller's own callbacks throw leaves a function of the library.
#pragma once

#include <stdexcept>
#include <string>

#define OTSEQ2SET_API __attribute__((visibility("default")))

namespace otseq2set::inline v1 {

// Input or environment is at fault; the program's exit code is 1.
class OTSEQ2SET_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// The command line, an option or the configuration is at fault; the program's exit code is 2.
class OTSEQ2SET_API UsageError : public Error {
 public:
  using Error::Error;
};

// A long run was asked to stop; what is needed to go on is saved.
class OTSEQ2SET_API Interrupted : public Error {
 public:
  using Error::Error;
};

}  // namespace otseq2set::inline v1
