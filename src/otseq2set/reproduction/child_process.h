// Another program, run to its end.
// It dies with this one: when this program is killed, the child is asked to end.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace otseq2set::inline reproduction {

struct ChildOptions {
  std::string file;             // of the program, when it is not the first word
  std::string output;           // file for standard output; empty: this program's
  bool quiet = false;           // standard error goes nowhere
  std::function<bool()> stop;   // asked now and then; true: SIGTERM to the child, which is then waited for
  std::function<bool()> abort;  // true: SIGKILL
};

// words: the program, found on PATH unless it has a slash, and its arguments. Returns the exit code, or 128 +
// the signal that ended it. An Error when it cannot be started.
int run_child(const std::vector<std::string>& words, const ChildOptions& options);

// Is there a program of this name on PATH?
bool on_path(const std::string& program);

}  // namespace otseq2set::inline reproduction
