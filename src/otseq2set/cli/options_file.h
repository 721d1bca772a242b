// Options of a command in a JSON file: {"port": 9000, "model": ["a=/srv/a", "b=/srv/b"]}. Keys are the names of options
// without their dashes; a list is for options that may be given several times.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace otseq2set::inline cli {

// Gives the command, whose command line has been read, the options of the file that it was not given there or in the
// environment. A UsageError names the file and what is wrong; of an unknown key, the nearest one.
void apply_options_file(CLI::App& command, const std::string& path);

}  // namespace otseq2set::inline cli
