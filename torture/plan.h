// What is done to a program: which of its system calls are counted, and what happens at one of them.
#pragma once

#include <string>
#include <vector>

#include "system_calls.h"

namespace torture {

enum class Deed {
  kCount,  // nothing: only count
  kFail,   // the call fails
  kShort,  // it reads or writes only half of what was asked for
  kKill,   // the program is killed instead
  kTear,   // it writes half, then the program is killed
};

struct Plan {
  std::string root;              // files below it count
  std::vector<Family> families;  // calls of these count
  long at = 0;                   // the call, from 1; 0: none
  Deed deed = Deed::kCount;
  int error = 0;               // for kFail
  bool from_then_on = false;   // every later call of the family fails too; when the disk is full, those that need space
  std::string trace, record;   // files to write, or empty
  std::vector<char*> command;  // with a null at its end
};

// Ends with code 2 and a message if the arguments make no sense.
Plan parse_plan(int argc, char** argv);

}  // namespace torture
