#include "otseq2set/reproduction/plan.h"

#include <algorithm>
#include <set>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"

namespace otseq2set::inline reproduction {

namespace {

constexpr const char* kHybrid = "hybrid";  // otseq2set with a linear model beside it

// A system and the configuration that its runs share but for the seed.
struct PlannedSystem {
  SystemResult system;
  Config config;
  std::optional<size_t> same_runs_as = {};  // the place of another system
};

PlannedSystem plain_system(const PlanOptions& options, const std::string& variant) {
  PlannedSystem planned{{}, options.base};
  const bool hybrid = variant == kHybrid;
  apply_json(planned.config, {{"variant", hybrid ? "otseq2set" : variant}, {"linear", {{"hybrid", hybrid}}}},
             "--variants");
  const Variant& parts = variant_of(planned.config);
  planned.system.name = variant;
  planned.system.title = hybrid ? parts.title + " + Linear" : parts.title;
  const bool own = parts.network && !parts.sequence;
  planned.system.kind = own ? SystemResult::Kind::kOwn : SystemResult::Kind::kBaseline;
  if (own) planned.system.scheme = planned.config.loss.scheme;
  return planned;
}

PlannedSystem with_scheme(PlannedSystem planned, const std::string& scheme) {
  if (planned.config.loss.scheme == scheme) return planned;
  apply_assignment(planned.config, "loss.scheme=" + scheme);
  planned.system.scheme = scheme;
  planned.system.name += " loss.scheme=" + scheme;
  return planned;
}

// Of a set model.
std::vector<std::string> schemes_of(const PlanOptions& options, const std::string& variant) {
  if (!options.schemes.empty()) return options.schemes;
  const std::string& own = options.base.loss.scheme;
  if (variant != "otseq2set") return {own};
  return {own, own == "all" ? "first_n" : "all"};
}

void add_sweep(const PlanOptions& options, std::vector<PlannedSystem>& systems) {
  const auto& variants = options.variants;
  const bool has_own = std::find(variants.begin(), variants.end(), "otseq2set") != variants.end();
  const std::string variant = has_own ? "otseq2set" : variants.back();
  size_t plain = 0;  // the first of the variant, with the first of --schemes
  while ((systems[plain].system.name + ' ').rfind(variant + ' ', 0) != 0) ++plain;  // the scheme may stand behind
  for (const std::string& value : options.sweep->values) {
    const std::string assignment = options.sweep->key + "=" + value;
    PlannedSystem swept = systems[plain];
    apply_assignment(swept.config, assignment);
    // The value that the configuration has anyway is no run of its own.
    if (differences(systems[plain].config, swept.config).empty()) swept.same_runs_as = plain;
    swept.system.name += " " + assignment;
    swept.system.sweep_key = options.sweep->key;
    swept.system.sweep_value = value;
    systems.push_back(std::move(swept));
  }
}

// A name that every file system takes.
std::string file_name(std::string name) {
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("._=,-", c) != nullptr;
    if (!plain) c = '-';
  }
  return name;
}

}  // namespace

std::vector<std::string> plannable_variants() {
  std::vector<std::string> names = variant_names();
  names.emplace_back(kHybrid);
  return names;
}

Sweep parse_sweep(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    fail_usage("--sweep {}: expected key=value,value,...", text);
  }
  Sweep sweep{text.substr(0, equals), {}};
  std::istringstream values(text.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');) sweep.values.push_back(value);
  return sweep;
}

Plan make_plan(const PlanOptions& options) {
  std::vector<PlannedSystem> systems;
  for (const std::string& variant : options.variants) {
    const PlannedSystem plain = plain_system(options, variant);
    if (plain.system.scheme.empty()) {
      systems.push_back(plain);
      continue;
    }
    for (const std::string& scheme : schemes_of(options, variant)) systems.push_back(with_scheme(plain, scheme));
  }
  if (options.sweep) add_sweep(options, systems);
  Plan plan;
  std::set<std::string> names;
  for (const int64_t seed : options.seeds) {
    const size_t first = plan.runs.size();
    std::vector<size_t> place(systems.size());  // of each system's run
    for (size_t i = 0; i < systems.size(); ++i) {
      place[i] = systems[i].same_runs_as ? place[*systems[i].same_runs_as] : plan.runs.size() - first;
      if (systems[i].same_runs_as) {
        plan.runs[first + place[i]].systems.push_back(i);
        continue;
      }
      PlannedRun run{file_name(fmt::format("{}-seed{}", systems[i].system.name, seed)), {i}, systems[i].config};
      run.config.training.seed = seed;
      check_consistency(run.config);
      if (!names.insert(run.name).second) fail_usage("the run {} is requested twice", run.name);
      plan.runs.push_back(std::move(run));
    }
  }
  for (PlannedSystem& planned : systems) plan.systems.push_back(std::move(planned.system));
  return plan;
}

}  // namespace otseq2set::inline reproduction
