// The labels of the training data, numbered 0 .. L - 1 from the most frequent to the rarest, with the number
// of training documents that have each.
//
// Equally frequent labels stand in the order of their names' bytes, never in that of their first appearance,
// so that shuffling the training file does not change the numbers.
//
// A label is told apart by its name in the data. That may be something that nobody reads, such as a URI; what
// people call it is its display name, where the data has one.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "otseq2set/text/string_index.h"

namespace otseq2set::inline corpus {

class LabelVocabulary {
 public:
  // The labels given are distinct; their order does not matter.
  static LabelVocabulary from_counts(std::vector<std::pair<std::string, uint64_t>> counts);

  // Empty takes it away.
  void set_display_name(int32_t index, std::string_view display_name);

  int32_t index(std::string_view name) const { return names_.find(name); }  // -1: unknown
  std::string_view name(int32_t index) const { return names_[index]; }
  bool has_display_names() const { return !display_names_.empty(); }
  bool has_display_name(int32_t index) const { return !display_names_.empty() && !display_names_[index].empty(); }
  std::string_view display_name(int32_t index) const {  // the name where there is no other
    return has_display_name(index) ? std::string_view(display_names_[index]) : name(index);
  }
  uint64_t count(int32_t index) const { return counts_[index]; }
  const std::vector<uint64_t>& counts() const { return counts_; }
  size_t size() const { return counts_.size(); }

  // labels.jsonl: {"label":"fish","count":12}, the first line is label 0; a display name is "name" between
  // the two. `name` is the file that errors name.
  void save(std::ostream& out) const;
  static LabelVocabulary load(std::istream& in, const std::string& name);

 private:
  StringIndex names_;
  std::vector<uint64_t> counts_;
  std::vector<std::string> display_names_;  // empty: no label has one
};

}  // namespace otseq2set::inline corpus
