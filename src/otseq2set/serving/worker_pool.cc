#include "otseq2set/serving/worker_pool.h"

#include <exception>
#include <utility>

#include "otseq2set/http/tell.h"

namespace otseq2set::inline serving {

namespace {

void answer(const std::vector<QueuedDocument>& batch, Metrics& metrics) {
  std::vector<const Question*> questions;
  for (const QueuedDocument& document : batch) questions.push_back(&document.question);
  std::vector<Suggestion> suggestions;
  try {
    suggestions = batch.front().model->suggest(questions);
  } catch (const std::exception& error) {
    tell("error: a batch of {} documents failed: {}", batch.size(), error.what());
    for (const QueuedDocument& document : batch) document.answers->fail(Fate::kFailed);
    return;
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    metrics.words(suggestions[i].words_read, suggestions[i].words_unknown);
    batch[i].answers->answer(batch[i].index, std::move(suggestions[i]));
  }
}

}  // namespace

WorkerPool::WorkerPool(RequestQueue& queue, Metrics& metrics, size_t workers) : queue_(queue), metrics_(metrics) {
  for (size_t i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  queue_.close();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::work() {
  size_t done = 0;
  for (;;) {
    std::vector<QueuedDocument> batch = queue_.take(done);
    if (batch.empty()) return;
    done = queue_.work(batch);
    metrics_.batch(batch.size());
    answer(batch, metrics_);
  }
}

}  // namespace otseq2set::inline serving
