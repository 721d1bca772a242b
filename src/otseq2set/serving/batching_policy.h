// Which documents are predicted together, and when.
// A plain class: who calls it brings the clock and the lock.
//
// A batch is due when as many documents wait as it may have, or when the oldest has waited for `wait`, or
// when no other has come for an eighth of that: clients that were answered together ask again together. It
// is the oldest document and, of those for the same model, the ones nearest to it in length.
//
// With batches of three and
//
//   waiting   a:500 words   b:20   c:480   d:510   e:22
//
// the first batch is a, c, d and the second, b being the oldest then, b, e. Somebody who sends a paragraph
// does not wait for books, unless a book is the oldest; and nobody is overtaken for ever, since the oldest
// always goes. The documents of a large request count as younger one by one: those who ask for little at the
// same time come in between. A document whose words are left out one by one is as much work as a batch, and is one.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/serving/pending_answers.h"
#include "otseq2set/serving/suggester.h"

namespace otseq2set::inline serving {

using Clock = std::chrono::steady_clock;

// One document of a request.
struct QueuedDocument {
  std::shared_ptr<const Suggester> model;
  size_t length = 0;  // Suggester::length
  Clock::time_point arrived;
  Clock::time_point turn;  // the smallest is the oldest
  Clock::time_point deadline = Clock::time_point::max();
  Question question;
  std::string client;  // who asks
  std::shared_ptr<PendingAnswers> answers;
  size_t index = 0;  // in `answers`
};

struct BatchingOptions {
  size_t batch = 64;                     // documents at most
  std::chrono::microseconds wait{2000};  // of the oldest, at most
  size_t bytes = 128 << 10;              // of text at most, or one document
};

class BatchingPolicy {
 public:
  explicit BatchingPolicy(const BatchingOptions& options) : options_(options) {}

  void add(QueuedDocument document) { waiting_.push_back(std::move(document)); }
  size_t size() const { return waiting_.size(); }
  bool has_any_of(const std::string& client) const;

  // When the next batch is due if nothing more comes; none when nothing waits.
  std::optional<Clock::time_point> due() const;

  // The next batch, due or not, of `most` documents at most; empty when nothing waits. Documents keep the
  // order of their arrival.
  std::vector<QueuedDocument> take(size_t most = SIZE_MAX);

  // Those that are past their deadline, or whose answer nobody wants any more.
  std::vector<QueuedDocument> take_useless(Clock::time_point now);

 private:
  size_t fitting(const std::vector<size_t>& which) const;  // how many of them a batch has room for
  // `which`: indexes, ascending.
  std::vector<QueuedDocument> take_out(const std::vector<size_t>& which);

  BatchingOptions options_;
  std::deque<QueuedDocument> waiting_;  // oldest first
};

}  // namespace otseq2set::inline serving
