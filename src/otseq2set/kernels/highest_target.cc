#include "otseq2set/kernels/highest_target.h"

#include <fmt/ranges.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "otseq2set/core/error.h"
#include "otseq2set/kernels/int8_targets.h"

namespace otseq2set::inline kernels {

namespace {

constexpr char kVariable[] = "OTSEQ2SET_HIGHEST_TARGET";

// One bit each, the best first.
std::vector<int64_t> compiled_targets() {
  std::vector<int64_t> targets;
  for (int64_t rest = HWY_TARGETS; rest != 0; rest &= rest - 1) targets.push_back(rest & -rest);
  return targets;
}

int64_t target_of(const std::string& name) {
  std::vector<std::string> names;
  for (int64_t target : compiled_targets()) {
    names.emplace_back(hwy::TargetName(target));
    if (names.back() == name) return target;
  }
  fail_usage("{} is '{}'; the kernels are compiled for {}", kVariable, name, fmt::join(names, ", "));
}

}  // namespace

void apply_highest_target() {
  const char* name = std::getenv(kVariable);
  if (name == nullptr || *name == '\0') return;
  hwy::DisableTargets(target_of(name) - 1);  // better targets are lower bits
}

}  // namespace otseq2set::inline kernels
