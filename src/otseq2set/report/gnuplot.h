// gnuplot as a child process: a script goes in, what it draws comes out.
//
// No shell is involved and the user's own settings are not read. The child gets a limited time.
#pragma once

#include <string>

namespace otseq2set::inline report {

// What the script wrote to standard output. An Error if the program is not there, fails, or takes too long.
std::string run_gnuplot(const std::string& program, const std::string& script);

}  // namespace otseq2set::inline report
