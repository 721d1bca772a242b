#include "otseq2set/report/set_blocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "otseq2set/report/numbers.h"

namespace otseq2set::inline report {

namespace {

using Kind = SystemResult::Kind;

std::string block_title(const std::string& set) {
  if (set == "greedy") return "Greedy sets, as in the paper";
  if (set == "tuned") return "Tuned on validation documents";
  if (set == "beam") return "Beam search";
  return set;
}

}  // namespace

std::string SetLine::caveat(size_t seeds) const {
  const auto& runs = system->runs;
  const size_t measured = measure(&SetResult::micro_f1).count;
  const bool from_file = system->kind == Kind::kPeer && !runs.empty() && runs.front().config.is_null();
  std::vector<std::string> caveats;
  if (measured < seeds && !from_file) {
    caveats.push_back(measured == 0 ? "no run has finished" : fmt::format("{} of {} runs", measured, seeds));
  }
  const bool on_test = std::any_of(runs.begin(), runs.end(), [&](const RunResult& run) {
    const SetResult* own = find_set(run, set);
    return own && own->rule.find(kChosenOnTest) != std::string::npos;
  });
  if (on_test) caveats.emplace_back(kChosenOnTest);
  return fmt::format("{}", fmt::join(caveats, ", "));
}

std::vector<SetBlock> set_blocks(const Systems& systems) {
  Systems models = of_kind(systems, Kind::kBaseline);
  for (const SystemResult* system : of_kind(systems, Kind::kOwn)) models.push_back(system);
  std::vector<SetBlock> blocks;
  for (const std::string& set : set_names(models)) {
    SetBlock block{block_title(set), false, {}};
    for (const SystemResult* system : models) {
      const bool has = over_runs(*system, set, &SetResult::micro_f1).count > 0;
      if (has || (blocks.empty() && system->runs.empty())) block.lines.push_back({system, set});
    }
    blocks.push_back(block);
  }
  SetBlock others{"Other tools on the same documents", true, {}};
  for (const SystemResult* peer : of_kind(systems, Kind::kPeer)) {
    for (const std::string& set : set_names({peer})) others.lines.push_back({peer, set});
  }
  if (!others.lines.empty()) blocks.push_back(others);
  return blocks;
}

BlockValues values_of(const SetBlock& block, const std::vector<SetMeasure>& measures) {
  BlockValues result;
  for (SetMeasure measure : measures) {
    result.values.emplace_back();
    for (const SetLine& line : block.lines) result.values.back().push_back(line.measure(measure));
    result.best.push_back(best_of(result.values.back(), kPercentDecimals + 2));
  }
  return result;
}

}  // namespace otseq2set::inline report
