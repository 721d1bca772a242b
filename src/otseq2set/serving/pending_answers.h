// The answers to the documents of one request, which may come from several batches and several workers.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "otseq2set/serving/suggester.h"

namespace otseq2set::inline serving {

enum class Fate {
  kAnswered,
  kTooLate,  // a document waited longer than the request's time limit
  kFailed,   // the model failed, which is not the client's fault
};

class PendingAnswers {
 public:
  // Called once, by whoever sets the last answer.
  using Done = std::function<void(Fate, std::vector<Suggestion>)>;

  PendingAnswers(size_t documents, Done done) : suggestions_(documents), left_(documents), done_(std::move(done)) {}

  // Each document's answer is set once, either way.
  void answer(size_t document, Suggestion suggestion) {
    suggestions_[document] = std::move(suggestion);
    count_down();
  }
  void fail(Fate fate) {
    fate_ = fate;
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
};

}  // namespace otseq2set::inline serving
