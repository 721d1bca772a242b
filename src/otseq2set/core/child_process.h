// Another program, run to its end, without a shell.
// It dies with this one: when this program is killed, the child is asked to end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "otseq2set/core/files.h"

namespace otseq2set::inline core {

struct ChildOptions {
  std::string file = {};             // of the program, when it is not the first word
  std::string output = {};           // file for standard output; empty: this program's
  bool quiet = false;                // standard error goes nowhere
  std::function<bool()> stop = {};   // asked now and then; true: SIGTERM, and the child is waited for
  std::function<bool()> abort = {};  // true: SIGKILL
  // What the child reads and writes instead: standard input, output and error. Unlike pipes, files neither
  // block nor send SIGPIPE, however the child behaves.
  const NamelessFile *in = nullptr, *out = nullptr, *err = nullptr;
};

// words: the program, found on PATH unless it has a slash, and its arguments. Returns the exit code, or 128 +
// the signal that ended it. An Error when it cannot be started.
int run_child(const std::vector<std::string>& words, const ChildOptions& options);

// Is there a program of this name on PATH, or at this path if it has a slash?
bool on_path(const std::string& program);

}  // namespace otseq2set::inline core
