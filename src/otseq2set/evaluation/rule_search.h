// Which set rule does best on documents whose labels are known?
//
// For a threshold, the labels enter the sets by falling score, and the measure is brought up to date after
// each of them: every threshold that makes a difference is tried, in one pass. The one returned lies halfway
// between the last score that is in and the first that is not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otseq2set/evaluation/set_rule.h"

namespace otseq2set::inline evaluation {

// As metrics.h defines them.
enum class SetMeasure { kMicroF1, kMacroF1, kWeightedF1, kExampleF1 };

// micro-F1, macro-F1, weighted-F1, example-F1; a UsageError lists them.
const std::vector<std::string>& set_measure_names();
SetMeasure parse_set_measure(const std::string& name);

class RuleSearch {
 public:
  struct Candidate {
    int32_t label = 0;
    float score = 0;
    bool greedy = false;  // in the greedy set
  };
  struct Found {
    SetRule rule;
    double value = 0;         // of the measure under this rule
    double greedy_value = 0;  // under the greedy rule
  };

  // labels: that the model knows, 0 .. labels - 1; true labels beyond are misses.
  // No threshold below `floor` is tried.
  RuleSearch(size_t labels, float floor) : floor_(floor), label_truths_(labels) {}

  // candidates: distinct; all of the greedy set, and of the others all whose score reaches the floor.
  void add(const std::vector<int32_t>& truth, const std::vector<Candidate>& candidates);

  // Of rules that do equally well the one nearest to the paper: greedy, greedy_threshold, threshold.
  Found best(SetMeasure measure) const;

 private:
  struct Entry {
    float score;
    uint32_t document;
    int32_t label;
    bool greedy, is_true;
  };
  Found best_threshold(SetRule::Kind kind, SetMeasure measure) const;

  float floor_;
  std::vector<uint32_t> document_truths_;  // [documents] true labels
  std::vector<uint32_t> label_truths_;     // [labels] documents; longer where unknown labels are true
  std::vector<Entry> entries_;
};

}  // namespace otseq2set::inline evaluation
