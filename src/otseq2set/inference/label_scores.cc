#include "otseq2set/inference/label_scores.h"

#include <algorithm>
#include <utility>

namespace otseq2set::inline inference {

std::vector<float> AllScores::of(const std::vector<int32_t>& labels) const {
  std::vector<float> scores;
  for (const int32_t label : labels) scores.push_back(scores_[label]);
  return scores;
}

std::vector<ScoredLabel> AllScores::best(size_t k, float floor) const {
  std::vector<ScoredLabel> found;
  for (size_t i = 0; i < scores_.size(); ++i) {
    if (scores_[i] >= floor) found.push_back({static_cast<int32_t>(i), scores_[i]});
  }
  if (found.size() >= std::min(k, scores_.size())) {
    std::sort(found.begin(), found.end(), better);
    return found;
  }
  RunningBest best(k);
  best.add(scores_.data(), static_cast<int64_t>(scores_.size()), 0);
  return best.take();
}

void RunningBest::add(const float* values, int64_t count, int64_t first) {
  if (most_ == 0) return;
  for (int64_t i = 0; i < count; ++i) {
    if (!(values[i] >= bar_)) continue;
    found_.push_back({static_cast<int32_t>(first + i), values[i]});
    if (found_.size() >= 2 * most_) drop_the_worst();
  }
}

void RunningBest::drop_the_worst() {
  const auto last = found_.begin() + static_cast<ptrdiff_t>(most_) - 1;
  std::nth_element(found_.begin(), last, found_.end(), better);
  found_.resize(most_);
  bar_ = found_.back().score;
}

std::vector<ScoredLabel> RunningBest::take() {
  if (found_.size() > most_) drop_the_worst();
  std::sort(found_.begin(), found_.end(), better);
  bar_ = -std::numeric_limits<float>::infinity();
  return std::exchange(found_, {});
}

}  // namespace otseq2set::inline inference
