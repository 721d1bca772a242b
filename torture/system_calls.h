// Which system calls can be made to fail, how their arguments are to be read, and which of them a run counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torture {

// What the call is about. A run counts calls of the families that it is asked for.
enum class Family { kFile, kMemory, kNet };

// Where the call says which file it means.
enum class Names {
  kDescriptor,  // the first argument
  kPath,        // the first argument is a path
  kPathAt,      // a folder's descriptor and a path
  kTwoPaths,    // two paths
  kTwoPathsAt,  // twice a folder's descriptor and a path
  kMapped,      // the fifth argument, a descriptor or -1
  kNothing,     // memory and sockets that do not exist yet
};

struct SystemCall {
  long number;
  std::string_view name;
  Family family;
  Names names;
  bool takes_space;  // a full disk may refuse it
};

const std::vector<SystemCall>& system_calls();
const SystemCall* find_system_call(long number);  // null: of no interest

}  // namespace torture
