#include "otseq2set/serving/batching_policy.h"

#include <algorithm>
#include <utility>

namespace otseq2set::inline serving {

namespace {

constexpr int kLull = 8;  // part of the wait in which nothing comes

size_t distance(size_t a, size_t b) { return a > b ? a - b : b - a; }

}  // namespace

std::optional<Clock::time_point> BatchingPolicy::due() const {
  if (waiting_.empty()) return std::nullopt;
  if (waiting_.size() >= options_.batch) return Clock::time_point::min();
  return std::min(waiting_.front().arrived + options_.wait, waiting_.back().arrived + options_.wait / kLull);
}

std::vector<QueuedDocument> BatchingPolicy::take(size_t most) {
  if (waiting_.empty()) return {};
  const auto plain = std::find_if(waiting_.begin(), waiting_.end(),
                                  [](const QueuedDocument& document) { return !document.question.leave_out; });
  const QueuedDocument& oldest = left_out_last_ && plain != waiting_.end() ? *plain : waiting_.front();
  left_out_last_ = oldest.question.leave_out;
  most = left_out_last_ ? 1 : std::min(most, options_.batch);
  std::vector<size_t> chosen;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    const QueuedDocument& document = waiting_[i];
    if (document.model == oldest.model && document.question.leave_out == left_out_last_) chosen.push_back(i);
  }
  if (chosen.size() > most) {
    // The oldest is at distance 0 and before all others, so it is always among them.
    std::stable_sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) {
      return distance(waiting_[a].length, oldest.length) < distance(waiting_[b].length, oldest.length);
    });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
  }
  return take_out(chosen);
}

size_t BatchingPolicy::work(const std::vector<QueuedDocument>& batch) const {
  return !batch.empty() && batch.front().question.leave_out ? options_.batch : batch.size();
}

std::vector<QueuedDocument> BatchingPolicy::take_late(Clock::time_point now) {
  std::vector<size_t> late;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].deadline < now) late.push_back(i);
  }
  return late.empty() ? std::vector<QueuedDocument>() : take_out(late);
}

std::vector<QueuedDocument> BatchingPolicy::take_out(const std::vector<size_t>& which) {
  std::vector<QueuedDocument> taken;
  std::deque<QueuedDocument> left;
  for (size_t i = 0, next = 0; i < waiting_.size(); ++i) {
    if (next < which.size() && which[next] == i) {
      taken.push_back(std::move(waiting_[i]));
      ++next;
    } else {
      left.push_back(std::move(waiting_[i]));
    }
  }
  waiting_ = std::move(left);
  return taken;
}

}  // namespace otseq2set::inline serving
