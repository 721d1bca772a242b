// Between the connections and the workers: a batching policy behind a lock, with room for so many documents.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "otseq2set/serving/batching_policy.h"

namespace otseq2set::inline serving {

class RequestQueue {
 public:
  RequestQueue(const BatchingOptions& batching, size_t capacity) : policy_(batching), capacity_(capacity) {}

  // All documents of a request, or none of them and false: the queue is full, or closed. While there is any
  // room, a request is taken whole: a large one would never find room for all of it among many small ones. A client
  // of whom nothing waits finds room in a queue that others have filled, up to twice its size.
  bool push(std::vector<QueuedDocument> documents);

  // Waits until a batch is due. Empty: the queue is closed and everything in it was taken. `done`: documents of the
  // batch that the calling worker took before, 0 if none.
  //
  // A worker takes no more than its part of all documents, waiting or in work. If one took all that wait
  // while another is busy with a few, it would go on so: clients who were answered together ask again
  // together, and the batches would stay as uneven as they are. A document that is past its deadline fails
  // instead, and so does one of a client that has gone: computing it would only make others late.
  std::vector<QueuedDocument> take(size_t done);

  // Nothing more comes in; what is in is due at once.
  void close();

  size_t size() const;
  size_t idle() const;  // workers that wait in `take`

 private:
  bool has_room_for(const std::string& client) const;
  // False: closed, and nothing is left.
  bool wait_until_due(std::unique_lock<std::mutex>& lock);

  static constexpr size_t kLeastShare = 8;  // documents that are predicted side by side in any case

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  BatchingPolicy policy_;
  size_t capacity_;
  size_t idle_ = 0;
  size_t busy_ = 0;     // workers with a batch
  size_t in_work_ = 0;  // documents of these batches
  bool closed_ = false;
};

}  // namespace otseq2set::inline serving
