// All commands and options as JSON, for man pages and completion (tools/program_pages.py): `--option-list`, which the help
// does not show.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace otseq2set::inline cli {

std::string option_list(const CLI::App& program);

}  // namespace otseq2set::inline cli
