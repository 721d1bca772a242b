// The scores of a document's labels, of which an answer needs the best or a few. And the best of very many values, kept
// while they come block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "otseq2set/evaluation/scored_label.h"

namespace otseq2set::inline inference {

// The order of answers: by score, best first; ties by index.
inline bool better(const ScoredLabel& a, const ScoredLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

class LabelScores {
 public:
  virtual ~LabelScores() = default;
  virtual std::vector<float> of(const std::vector<int32_t>& labels) const = 0;
  // The k best labels and all whose score reaches `floor`, best first.
  virtual std::vector<ScoredLabel> best(size_t k, float floor) const = 0;
};

// Scores that are all there. They must outlive this.
class AllScores : public LabelScores {
 public:
  explicit AllScores(const std::vector<float>& scores) : scores_(scores) {}
  std::vector<float> of(const std::vector<int32_t>& labels) const override;
  std::vector<ScoredLabel> best(size_t k, float floor) const override;

 private:
  const std::vector<float>& scores_;
};

// The best of what is added, whatever the order in which it comes.
class RunningBest {
 public:
  explicit RunningBest(size_t most) : most_(most) {}

  // values: of the labels from `first` on.
  void add(const float* values, int64_t count, int64_t first);
  // Whether values of which this is the largest can change anything.
  bool takes(float largest) const { return !(largest < bar_); }
  // What was found, best first. Nothing is left here.
  std::vector<ScoredLabel> take();

 private:
  void drop_the_worst();

  size_t most_;
  float bar_ = -std::numeric_limits<float>::infinity();  // as many as are wanted reach it
  std::vector<ScoredLabel> found_;
};

}  // namespace otseq2set::inline inference
