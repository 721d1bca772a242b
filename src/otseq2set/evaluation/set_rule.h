// Which labels make a document's set?
//
//   greedy            the labels that decoding names, as in the paper
//   threshold         all labels whose score reaches a threshold
//   greedy_threshold  those of the greedy set whose score reaches a threshold
#pragma once

#include <string>

namespace otseq2set::inline evaluation {

struct SetRule {
  enum class Kind { kGreedy, kThreshold, kGreedyThreshold };

  Kind kind = Kind::kGreedy;
  float threshold = 0;
};

// The kinds by the names above; an Error lists them.
std::string kind_name(SetRule::Kind kind);
SetRule::Kind parse_kind(const std::string& name);

// "the greedy set", "labels with a score of at least 0.31", "labels of the greedy set with ..."
std::string describe(const SetRule& rule);

}  // namespace otseq2set::inline evaluation
