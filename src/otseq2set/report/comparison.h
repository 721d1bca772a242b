// What of the results stands against what: which systems are in the tables, their means over seeds, and the
// few that figures show.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/report/results.h"
#include "otseq2set/report/statistics.h"

namespace otseq2set::inline report {

using Systems = std::vector<const SystemResult*>;

// Those of the tables: all that are in no sweep, or all if every one is.
Systems compared_systems(const Results& results);
Systems of_kind(const Systems& systems, SystemResult::Kind kind);

// The set of that name; nullptr if the run has none.
const SetResult* find_set(const RunResult& run, const std::string& name);

// The name of the set that stands for a system where there is room for one: greedy, and for other tools that
// have none the one with the best micro-F1. Empty if it has no sets at all.
std::string main_set(const SystemResult& system);

// The names of all sets that any of the systems has, in order of appearance.
std::vector<std::string> set_names(const Systems& systems);

using SetMeasure = double SetResult::*;
Summary over_runs(const SystemResult& system, const std::string& set, SetMeasure measure);
Summary over_runs(const SystemResult& system, const std::function<std::optional<double>(const RunResult&)>& measure);

// The system with the best mean micro-F1 of its main set; nullptr if none has any.
const SystemResult* best_system(const Systems& systems);

// Up to `most` systems by falling micro-F1, in the order of the tables.
Systems leading(const Systems& systems, size_t most);

// The best set model, the best baseline and the best other tool, as far as there are any.
Systems champions(const Systems& systems);

// All seeds that some system was trained with or is to be, ascending; those of other tools do not count.
std::vector<int64_t> all_seeds(const Results& results);

// The title with the scheme where the paper puts it, after the first word: BM, first-n, " + LC".
struct TitleParts {
  std::string head, scheme, tail;
};
TitleParts title_parts(const SystemResult& system);
std::string plain_title(const SystemResult& system);  // "BM (first-n) + LC"

}  // namespace otseq2set::inline report
