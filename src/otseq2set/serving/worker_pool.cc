#include "otseq2set/serving/worker_pool.h"

#include <exception>
#include <latch>
#include <memory>
#include <new>
#include <utility>

#include "otseq2set/core/span.h"
#include "otseq2set/http/low_priority.h"
#include "otseq2set/http/tell.h"

namespace otseq2set::inline serving {

namespace {

// What became of it; kAnswered: all are.
Fate try_to_answer(Span<const QueuedDocument> batch, Metrics& metrics) {
  std::vector<const Question*> questions;
  for (const QueuedDocument& document : batch) questions.push_back(&document.question);
  std::vector<Suggestion> suggestions;
  try {
    suggestions = batch[0].model->suggest(questions);
  } catch (const std::bad_alloc&) {
    tell("warning: there is not enough memory to predict {} documents at once", batch.size());
    return Fate::kNoMemory;
  } catch (const std::exception& error) {
    tell("error: a batch of {} documents failed: {}", batch.size(), error.what());
    return Fate::kFailed;
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    metrics.words(suggestions[i].words_read, suggestions[i].words_unknown);
    batch[i].answers->answer(batch[i].index, std::move(suggestions[i]));
  }
  return Fate::kAnswered;
}

// One document that cannot be answered must not take others with it: then each is tried alone.
void answer(const std::vector<QueuedDocument>& batch, Metrics& metrics) {
  Fate fate = try_to_answer(batch, metrics);
  if (fate == Fate::kAnswered) return;
  for (const QueuedDocument& document : batch) {
    if (batch.size() > 1) fate = try_to_answer({&document, 1}, metrics);
    if (fate != Fate::kAnswered) document.answers->fail(fate);
  }
}

}  // namespace

WorkerPool::WorkerPool(RequestQueue& queue, Metrics& metrics, size_t workers, Priority priority,
                       const std::function<void()>& prepare)
    : queue_(queue), metrics_(metrics) {
  const auto prepared = std::make_shared<std::latch>(static_cast<ptrdiff_t>(workers));
  for (size_t i = 0; i < workers; ++i) {
    threads_.emplace_back([this, prepared, priority, prepare] {
      if (priority == Priority::kLow) lower_priority();
      if (prepare) prepare();
      prepared->count_down();
      work();
    });
  }
  prepared->wait();
}

WorkerPool::~WorkerPool() {
  queue_.close();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::work() {
  size_t done = 0;
  for (;;) {
    const std::vector<QueuedDocument> batch = queue_.take(done);
    if (batch.empty()) return;
    done = batch.size();
    metrics_.batch(batch.size());
    try {
      answer(batch, metrics_);
    } catch (const std::exception& error) {  // not even an answer that says so could be made
      tell("error: a batch of {} documents was not answered: {}", batch.size(), error.what());
    }
  }
}

}  // namespace otseq2set::inline serving
