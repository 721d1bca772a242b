#include "otseq2set/serving/pending_answers.h"

#include <utility>

namespace otseq2set::inline serving {

void PendingAnswers::answer(size_t document, Suggestion suggestion) {
  suggestions_[document] = std::move(suggestion);
  count_down();
}

void PendingAnswers::fail(Fate fate) {
  fate_ = fate;
  count_down();
}

void PendingAnswers::count_down() {
  if (left_.fetch_sub(1) == 1) done_(fate_, std::move(suggestions_));
}

}  // namespace otseq2set::inline serving
