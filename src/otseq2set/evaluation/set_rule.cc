#include "otseq2set/evaluation/set_rule.h"

#include "otseq2set/core/error.h"

namespace otseq2set {

std::string kind_name(SetRule::Kind kind) {
  switch (kind) {
    case SetRule::Kind::greedy:
      return "greedy";
    case SetRule::Kind::threshold:
      return "threshold";
    case SetRule::Kind::greedy_threshold:
      return "greedy_threshold";
  }
  return "";
}

SetRule::Kind parse_kind(const std::string& name) {
  for (const auto kind : {SetRule::Kind::greedy, SetRule::Kind::threshold, SetRule::Kind::greedy_threshold}) {
    if (kind_name(kind) == name) return kind;
  }
  fail("unknown set rule '{}'; there are greedy, threshold and greedy_threshold", name);
}

std::string describe(const SetRule& rule) {
  if (rule.kind == SetRule::Kind::greedy) return "the greedy set";
  return fmt::format("labels{} with a score of at least {:.4g}",
                     rule.kind == SetRule::Kind::threshold ? "" : " of the greedy set", rule.threshold);
}

}  // namespace otseq2set
