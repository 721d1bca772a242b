// Which runs a comparison has: every variant with every seed,
// a second matching scheme, a sweep over one setting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/report/results.h"

namespace otseq2set::inline reproduction {

// --sweep loss.lambda=0,2,4
struct Sweep {
  std::string key;
  std::vector<std::string> values;
};
// A UsageError when it has not that form.
Sweep parse_sweep(const std::string& text);

// The rows of the paper's tables, a linear model, and both joined; in this order, and all by default.
std::vector<std::string> plannable_variants();

struct PlanOptions {
  Config base;
  std::vector<std::string> variants;
  std::vector<int64_t> seeds;
  // Of the set models; none: that of the configuration, and for otseq2set the other one too.
  std::vector<std::string> schemes;
  std::optional<Sweep> sweep;  // of otseq2set or, where that is not among the variants, of the last of them
};

struct PlannedRun {
  std::string name;             // otseq2set-seed1, otseq2set-loss.lambda=4-seed1; a name for a file
  std::vector<size_t> systems;  // that it belongs to: a point of the sweep may be the plain run
  Config config;
};

struct Plan {
  std::vector<SystemResult> systems;  // without runs; in the order of the paper's tables
  std::vector<PlannedRun> runs;       // seed by seed, so that a whole table is there early
};

// A UsageError names what is wrong.
Plan make_plan(const PlanOptions& options);

}  // namespace otseq2set::inline reproduction
