// The main table for a paper: \input{table.tex} with the package booktabs.
#pragma once

#include <string>

#include "otseq2set/report/results.h"

namespace otseq2set::inline report {

std::string to_latex(const Results& results);

}  // namespace otseq2set::inline report
