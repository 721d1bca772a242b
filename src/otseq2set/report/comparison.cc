#include "otseq2set/report/comparison.h"

#include <algorithm>
#include <set>

namespace otseq2set::inline report {

namespace {

Summary main_f1(const SystemResult& system) { return over_runs(system, main_set(system), &SetResult::micro_f1); }

bool has_set(const SystemResult& system, const std::string& name) {
  return std::any_of(system.runs.begin(), system.runs.end(),
                     [&](const RunResult& run) { return find_set(run, name) != nullptr; });
}

}  // namespace

Systems compared_systems(const Results& results) {
  Systems all, outside_sweeps;
  for (const SystemResult& system : results.systems) {
    all.push_back(&system);
    if (system.sweep_key.empty()) outside_sweeps.push_back(&system);
  }
  const bool only_peers = of_kind(outside_sweeps, SystemResult::Kind::kPeer).size() == outside_sweeps.size();
  return only_peers ? all : outside_sweeps;
}

Systems of_kind(const Systems& systems, SystemResult::Kind kind) {
  Systems chosen;
  for (const SystemResult* system : systems) {
    if (system->kind == kind) chosen.push_back(system);
  }
  return chosen;
}

const SetResult* find_set(const RunResult& run, const std::string& name) {
  for (const SetResult& set : run.sets) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

std::string main_set(const SystemResult& system) {
  if (has_set(system, "greedy")) return "greedy";
  std::string best;
  double best_f1 = 0;
  for (const std::string& name : set_names({&system})) {
    const Summary f1 = over_runs(system, name, &SetResult::micro_f1);
    if (f1.count == 0 || (!best.empty() && f1.mean <= best_f1)) continue;
    best = name;
    best_f1 = f1.mean;
  }
  return best;
}

std::vector<std::string> set_names(const Systems& systems) {
  std::vector<std::string> names;
  for (const SystemResult* system : systems) {
    for (const RunResult& run : system->runs) {
      for (const SetResult& set : run.sets) {
        if (std::find(names.begin(), names.end(), set.name) == names.end()) names.push_back(set.name);
      }
    }
  }
  return names;
}

Summary over_runs(const SystemResult& system, const std::string& set, SetMeasure measure) {
  return over_runs(system, [&](const RunResult& run) -> std::optional<double> {
    const SetResult* found = find_set(run, set);
    if (!found) return std::nullopt;
    return found->*measure;
  });
}

Summary over_runs(const SystemResult& system, const std::function<std::optional<double>(const RunResult&)>& measure) {
  std::vector<double> values;
  for (const RunResult& run : system.runs) {
    if (const std::optional<double> value = measure(run)) values.push_back(*value);
  }
  return summarise(values);
}

const SystemResult* best_system(const Systems& systems) {
  const SystemResult* best = nullptr;
  double best_f1 = 0;
  for (const SystemResult* system : systems) {
    const Summary f1 = main_f1(*system);
    if (f1.count == 0 || (best && f1.mean <= best_f1)) continue;
    best = system;
    best_f1 = f1.mean;
  }
  return best;
}

Systems leading(const Systems& systems, size_t most) {
  Systems sorted;
  for (const SystemResult* system : systems) {
    if (main_f1(*system).count > 0) sorted.push_back(system);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const SystemResult* a, const SystemResult* b) { return main_f1(*a).mean > main_f1(*b).mean; });
  if (sorted.size() > most) sorted.resize(most);
  Systems chosen;
  for (const SystemResult* system : systems) {
    if (std::find(sorted.begin(), sorted.end(), system) != sorted.end()) chosen.push_back(system);
  }
  return chosen;
}

Systems champions(const Systems& systems) {
  Systems chosen;
  for (auto kind : {SystemResult::Kind::kOwn, SystemResult::Kind::kBaseline, SystemResult::Kind::kPeer}) {
    if (const SystemResult* best = best_system(of_kind(systems, kind))) chosen.push_back(best);
  }
  return chosen;
}

std::vector<int64_t> all_seeds(const Results& results) {
  std::set<int64_t> seeds(results.seeds.begin(), results.seeds.end());
  for (const SystemResult& system : results.systems) {
    if (system.kind == SystemResult::Kind::kPeer) continue;
    for (const RunResult& run : system.runs) seeds.insert(run.seed);
  }
  return {seeds.begin(), seeds.end()};
}

TitleParts title_parts(const SystemResult& system) {
  const std::string& title = system.title.empty() ? system.name : system.title;
  const size_t space = title.find(' ');
  TitleParts parts{title.substr(0, space), system.scheme, space == std::string::npos ? "" : title.substr(space)};
  if (parts.scheme == "first_n") parts.scheme = "first-n";
  if (!system.sweep_key.empty()) parts.tail += ", " + system.sweep_key + " = " + system.sweep_value;
  return parts;
}

std::string plain_title(const SystemResult& system) {
  const TitleParts parts = title_parts(system);
  return parts.scheme.empty() ? parts.head + parts.tail : parts.head + " (" + parts.scheme + ")" + parts.tail;
}

}  // namespace otseq2set::inline report
