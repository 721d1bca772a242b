#include "otseq2set/serving/request_queue.h"

#include <algorithm>
#include <utility>

namespace otseq2set::inline serving {

namespace {

// Without the lock: who hears of it may ask again.
void fail_all(const std::vector<QueuedDocument>& useless) {
  for (const QueuedDocument& document : useless) {
    document.answers->fail(document.answers->unwanted() ? Fate::kUnwanted : Fate::kTooLate);
  }
}

}  // namespace

bool RequestQueue::push(std::vector<QueuedDocument> documents) {
  std::vector<QueuedDocument> useless;
  bool taken = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (policy_.size() >= capacity_) useless = policy_.take_useless(Clock::now());
    taken = !closed_ && has_room_for(documents.front().client);
    if (taken) {
      for (QueuedDocument& document : documents) policy_.add(std::move(document));
    }
  }
  if (taken) changed_.notify_one();
  fail_all(useless);
  return taken;
}

bool RequestQueue::has_room_for(const std::string& client) const {
  const size_t waiting = policy_.size();
  return waiting < capacity_ || (waiting < 2 * capacity_ && !policy_.has_any_of(client));
}

std::vector<QueuedDocument> RequestQueue::take(size_t done) {
  std::vector<QueuedDocument> batch;
  bool over = false;
  while (batch.empty() && !over) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (done > 0) --busy_;
    in_work_ -= std::exchange(done, 0);
    ++idle_;
    over = !wait_until_due(lock);
    const std::vector<QueuedDocument> useless = policy_.take_useless(Clock::now());
    const size_t workers = idle_ + busy_, all = policy_.size() + in_work_;
    batch = policy_.take(std::max((all + workers - 1) / workers, kLeastShare));
    --idle_;
    if (!batch.empty()) ++busy_;
    in_work_ += batch.size();
    const bool more = policy_.size() > 0;
    lock.unlock();
    if (more) changed_.notify_one();  // another worker, which may have slept through the push
    fail_all(useless);
  }
  return batch;
}

bool RequestQueue::wait_until_due(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const auto due = policy_.due();
    if (due && (closed_ || *due <= Clock::now())) return true;
    if (!due && closed_) return false;
    if (due) {
      changed_.wait_until(lock, *due);
    } else {
      changed_.wait(lock);
    }
  }
}

void RequestQueue::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

size_t RequestQueue::idle() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return idle_;
}

size_t RequestQueue::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return policy_.size();
}

}  // namespace otseq2set::inline serving
