// otseq2set train: from documents to a model folder.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace otseq2set::inline training_cli {

// arguments: the command line as typed.
void add_train(CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace otseq2set::inline training_cli
