#include "otseq2set/core/threads.h"

#include <omp.h>

#include <atomic>
#include <mutex>

namespace otseq2set::inline core {

namespace {
std::atomic<int> pool_size{0};
thread_local int own_limit = 0;  // 0: none

int or_all_cores(int count) { return count > 0 ? count : omp_get_num_procs(); }
std::mutex failure_mutex;
}  // namespace

int set_threads(int count) { return pool_size = or_all_cores(count); }

ThreadLimit::ThreadLimit(int count) : before_(own_limit) { own_limit = or_all_cores(count); }

ThreadLimit::~ThreadLimit() { own_limit = before_; }

int thread_count() {
  if (omp_in_parallel() != 0) return 1;  // whatever the environment says about loops in loops
  return own_limit > 0 ? own_limit : or_all_cores(pool_size);
}

void FirstFailure::keep(int64_t index, std::exception_ptr failure) {
  const std::lock_guard<std::mutex> guard(failure_mutex);
  if (index < index_) {
    index_ = index;
    failure_ = std::move(failure);
  }
}

bool FirstFailure::any() const {
  const std::lock_guard<std::mutex> guard(failure_mutex);
  return failure_ != nullptr;
}

void FirstFailure::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace otseq2set::inline core
