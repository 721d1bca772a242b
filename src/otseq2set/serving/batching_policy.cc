#include "otseq2set/serving/batching_policy.h"

#include <algorithm>
#include <utility>

namespace otseq2set {

namespace {

size_t distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

}  // namespace

std::optional<Clock::time_point> BatchingPolicy::due() const {
  if (waiting_.empty()) return std::nullopt;
  if (waiting_.size() >= options_.batch) return Clock::time_point::min();
  return waiting_.front().arrived + options_.wait;
}

std::vector<QueuedDocument> BatchingPolicy::take(size_t most) {
  if (waiting_.empty()) return {};
  most = std::min(most, options_.batch);
  const QueuedDocument& oldest = waiting_.front();
  std::vector<size_t> chosen;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].model == oldest.model) chosen.push_back(i);
  }
  if (chosen.size() > most) {
    // The oldest is at distance 0 and before all others, so it is always among them.
    std::stable_sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) {
      return distance(waiting_[a].length, oldest.length) < distance(waiting_[b].length, oldest.length);
    });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
  }

  std::vector<QueuedDocument> batch;
  std::deque<QueuedDocument> left;
  for (size_t i = 0, next = 0; i < waiting_.size(); ++i) {
    const bool taken = next < chosen.size() && chosen[next] == i;
    next += taken ? 1 : 0;
    if (taken) {
      batch.push_back(std::move(waiting_[i]));
    } else {
      left.push_back(std::move(waiting_[i]));
    }
  }
  waiting_ = std::move(left);
  return batch;
}

}  // namespace otseq2set
