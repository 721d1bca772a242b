// The lines of a table of sets, block by block: the models with greedy sets, the models with tuned ones, ...,
// and the other tools with all of theirs.
#pragma once

#include <string>
#include <vector>

#include "otseq2set/report/comparison.h"

namespace otseq2set::inline report {

struct SetLine {
  const SystemResult* system;
  std::string set;

  Summary measure(SetMeasure value) const { return over_runs(*system, set, value); }

  // What a reader must know of the numbers, such as that not all seeds are in them; mostly empty.
  std::string caveat(size_t seeds) const;
};

struct SetBlock {
  std::string title;
  bool other_tools = false;    // then lines differ in their sets
  std::vector<SetLine> lines;  // a model without any run is in the first block, so that it does not vanish
};

std::vector<SetBlock> set_blocks(const Systems& systems);

// [measures][lines] and which of them are the best of their column.
struct BlockValues {
  std::vector<std::vector<Summary>> values;
  std::vector<std::vector<bool>> best;
};
BlockValues values_of(const SetBlock& block, const std::vector<SetMeasure>& measures);

}  // namespace otseq2set::inline report
