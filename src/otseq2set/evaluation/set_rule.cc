#include "otseq2set/evaluation/set_rule.h"

#include "otseq2set/core/error.h"

namespace otseq2set::inline evaluation {

std::string kind_name(SetRule::Kind kind) {
  constexpr const char* kNames[] = {"greedy", "threshold", "greedy_threshold"};
  return kNames[static_cast<size_t>(kind)];
}

SetRule::Kind parse_kind(const std::string& name) {
  for (const auto kind : {SetRule::Kind::kGreedy, SetRule::Kind::kThreshold, SetRule::Kind::kGreedyThreshold}) {
    if (kind_name(kind) == name) return kind;
  }
  fail("unknown set rule '{}'; the rules are greedy, threshold and greedy_threshold", name);
}

std::string describe(const SetRule& rule) {
  if (rule.kind == SetRule::Kind::kGreedy) return "the greedy set";
  return fmt::format("labels{} with a score of at least {:.4g}",
                     rule.kind == SetRule::Kind::kThreshold ? "" : " of the greedy set", rule.threshold);
}

}  // namespace otseq2set::inline evaluation
