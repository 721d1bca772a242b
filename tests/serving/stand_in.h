// A model for tests of everything around models: its labels are the words of the text.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "otseq2set/serving/suggester.h"

namespace otseq2set::testing {

class StandIn : public Suggester {
 public:
  explicit StandIn(std::string prefix = "", std::chrono::milliseconds work = {})
      : prefix_(std::move(prefix)), work_(work) {}

  size_t label_count() const override { return 3; }
  size_t length(const std::string& text) const override { return text.size(); }

  std::vector<Suggestion> suggest(const std::vector<const Question*>& questions) const override {
    while (held_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(work_);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      batches_.push_back(questions.size());
    }
    std::vector<Suggestion> suggestions;
    for (const Question* question : questions) suggestions.push_back(answer(*question));
    return suggestions;
  }

  // Batches wait while it is held.
  void hold(bool held) { held_ = held; }

  std::vector<size_t> batches() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return batches_;
  }

 private:
  Suggestion answer(const Question& question) const {
    if (question.text == "fail") throw std::runtime_error("as asked");
    if (question.text == "no memory") throw std::bad_alloc();
    Suggestion suggestion;
    std::istringstream words(question.text);
    float score = 1;
    for (std::string word; words >> word; score -= 0.25f) {
      if (question.limit && suggestion.labels.size() == *question.limit) break;
      if (question.threshold && score < static_cast<float>(*question.threshold)) break;
      SuggestedLabel label{prefix_ + word, "the " + word, score, {}};
      if (question.explain) label.words.push_back({0, word.size(), 1});
      suggestion.labels.push_back(std::move(label));
    }
    return suggestion;
  }

  std::string prefix_;
  std::chrono::milliseconds work_;
  std::atomic<bool> held_{false};
  mutable std::mutex mutex_;
  mutable std::vector<size_t> batches_;
};

}  // namespace otseq2set::testing
