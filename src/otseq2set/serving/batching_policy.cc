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
  const auto first = std::min_element(waiting_.begin(), waiting_.end(),
                                      [](const QueuedDocument& a, const QueuedDocument& b) { return a.turn < b.turn; });
  const QueuedDocument& oldest = *first;
  if (oldest.question.leave_out) return take_out({static_cast<size_t>(first - waiting_.begin())});
  std::vector<size_t> chosen;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    const QueuedDocument& document = waiting_[i];
    if (document.model == oldest.model && !document.question.leave_out) chosen.push_back(i);
  }
  // The oldest is at distance 0 and before all others, so it is always among them.
  std::stable_sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) {
    const size_t distance_a = distance(waiting_[a].length, oldest.length);
    const size_t distance_b = distance(waiting_[b].length, oldest.length);
    return distance_a != distance_b ? distance_a < distance_b : waiting_[a].turn < waiting_[b].turn;
  });
  chosen.resize(std::min({chosen.size(), most, options_.batch, fitting(chosen)}));
  std::sort(chosen.begin(), chosen.end());
  return take_out(chosen);
}

bool BatchingPolicy::has_any_of(const std::string& client) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const QueuedDocument& document) { return document.client == client; });
}

size_t BatchingPolicy::fitting(const std::vector<size_t>& which) const {
  size_t bytes = 0, count = 0;
  for (; count < which.size(); ++count) {
    bytes += waiting_[which[count]].question.text.size();
    if (count > 0 && bytes > options_.bytes) break;
  }
  return count;
}

std::vector<QueuedDocument> BatchingPolicy::take_useless(Clock::time_point now) {
  std::vector<size_t> useless;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    const QueuedDocument& document = waiting_[i];
    if (document.deadline < now || (document.answers && document.answers->unwanted())) useless.push_back(i);
  }
  return useless.empty() ? std::vector<QueuedDocument>() : take_out(useless);
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
