// Threads that take batches from the queue, have the model answer them, and hand the answers back.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "otseq2set/serving/metrics.h"
#include "otseq2set/serving/request_queue.h"

namespace otseq2set::inline serving {

enum class Priority {
  kUsual,
  kLow,  // see lower_priority
};

class WorkerPool {
 public:
  // Queue and metrics must outlive it. Each thread calls `prepare` before its first batch; all have when this returns.
  WorkerPool(RequestQueue& queue, Metrics& metrics, size_t workers, Priority priority = Priority::kUsual,
             const std::function<void()>& prepare = {});
  // Closes the queue and waits until everything in it is answered.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

 private:
  void work();

  RequestQueue& queue_;
  Metrics& metrics_;
  std::vector<std::thread> threads_;
};

}  // namespace otseq2set::inline serving
