// Training lives in a program of its own, otseq2set-train, because it needs LibTorch. `otseq2set train` becomes that
// program, as git becomes its own; people see one command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace otseq2set::inline cli {

// otseq2set-train, which lies beside this program or in ../libexec/otseq2set. An Error when it is not there: who will
// need it asks before long work.
std::string training_program();

// For `otseq2set train ...`: becomes that program. Otherwise returns.
void hand_over_training(int argc, char** argv);

// The command's name, for the list in --help.
void add_train_name(CLI::App& program);

}  // namespace otseq2set::inline cli
