#include "otseq2set/serving/request_queue.h"

#include <algorithm>
#include <utility>

namespace otseq2set {

bool RequestQueue::push(std::vector<QueuedDocument> documents) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (closed_ || policy_.size() >= capacity_) return false;
    for (QueuedDocument& document : documents) policy_.add(std::move(document));
  }
  changed_.notify_one();
  return true;
}

std::vector<QueuedDocument> RequestQueue::take() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++idle_;
  for (;;) {
    const auto due = policy_.due();
    if (due && (closed_ || *due <= Clock::now())) break;
    if (!due && closed_) {
      --idle_;
      return {};
    }
    if (due) {
      changed_.wait_until(lock, *due);
    } else {
      changed_.wait(lock);
    }
  }
  const size_t share = (policy_.size() + idle_ - 1) / idle_;
  --idle_;
  std::vector<QueuedDocument> batch = policy_.take(std::max(share, kLeastShare));
  const bool more = policy_.size() > 0;
  lock.unlock();
  if (more) changed_.notify_one();  // another worker, which may have slept through the push
  return batch;
}

void RequestQueue::close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
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

}  // namespace otseq2set
