// Results as a file: results.json. What is written is read back the same, number for number.
//
// Keys are the names of the fields in results.h. Reading is strict: a missing or unknown key, or a value of
// another kind, is an Error that names the source and the field:
//
//   results.json: systems[2].runs[0].seed: ...
//
// What is optional is left out when there is none; a number that is none (a loss that became NaN) is null.
#pragma once

#include <string>

#include "otseq2set/report/results.h"

namespace otseq2set::inline report {

constexpr int kResultsFormat = 1;  // raised when older programs can no longer read the file

std::string to_json(const Results& results);
Results results_from_json(const std::string& text, const std::string& source);

// One run alone, for keeping it while others are still under way.
std::string to_json(const RunResult& run);
RunResult run_from_json(const std::string& text, const std::string& source);

}  // namespace otseq2set::inline report
