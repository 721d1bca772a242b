// The answers to the documents of one request, which may come from several batches and several workers.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "otseq2set/http/http_message.h"
#include "otseq2set/serving/suggester.h"

namespace otseq2set::inline serving {

enum class Fate {
  kAnswered,
  kTooLate,  // a document waited longer than the request's time limit
  kFailed,   // the model failed, which is not the client's fault
  kNoMemory,
  kRefused,   // there was no room in a queue
  kUnwanted,  // nobody waits for the answer any more
};

class PendingAnswers {
 public:
  // Called once, by whoever sets the last answer.
  using Done = std::function<void(Fate, std::vector<Suggestion>)>;

  PendingAnswers(size_t documents, Done done, Respond::Flag unwanted = nullptr)
      : suggestions_(documents), left_(documents), done_(std::move(done)), unwanted_(std::move(unwanted)) {}

  // The documents that are left need no answer: nobody waits for it, or another of the request has failed.
  bool unwanted() const { return (unwanted_ && *unwanted_) || fate_ != Fate::kAnswered; }

  // Each document's answer is set once, either way.
  void answer(size_t document, Suggestion suggestion) {
    suggestions_[document] = std::move(suggestion);
    count_down();
  }
  void fail(Fate fate) {
    Fate none = Fate::kAnswered;
    fate_.compare_exchange_strong(none, fate);  // the first reason is the one to tell
    count_down();
  }

 private:
  void count_down() {
    if (left_.fetch_sub(1) == 1) done_(fate_, std::move(suggestions_));
  }

  std::vector<Suggestion> suggestions_;
  std::atomic<Fate> fate_{Fate::kAnswered};
  std::atomic<size_t> left_;
  Done done_;
  Respond::Flag unwanted_;
};

}  // namespace otseq2set::inline serving
