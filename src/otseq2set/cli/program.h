// What the two programs share: they read the command line, run a command, and report what went wrong in one line.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace otseq2set::inline cli {

// add_commands is given the command line as typed. Returns the exit code: 1 for input and environment, 2 for usage
// and configuration, 130 for an interrupt.
using AddCommands = std::function<void(CLI::App& program, const std::vector<std::string>& arguments)>;
int run_program(int argc, char** argv, const AddCommands& add_commands);

}  // namespace otseq2set::inline cli
