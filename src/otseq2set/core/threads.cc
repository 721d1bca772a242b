#include "otseq2set/core/threads.h"

#include <omp.h>

#include <atomic>
#include <mutex>

namespace otseq2set::inline core {

namespace {
std::atomic<int> pool_size{0};
std::mutex failure_mutex;
}  // namespace

int set_threads(int count) {
  omp_set_max_active_levels(1);  // a loop inside a loop has one thread, whatever the environment says
  pool_size = count > 0 ? count : omp_get_num_procs();
  return pool_size;
}

int thread_count() { return pool_size > 0 ? pool_size.load() : omp_get_num_procs(); }

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
