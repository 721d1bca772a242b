// What a person sees while training runs:
// on a terminal one line that is rewritten, in a log a line now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "otseq2set/training/step_result.h"

namespace otseq2set::inline training {

class Progress {
 public:
  // total: documents of the whole run; done: of them before this start.
  Progress(uint64_t total, uint64_t done, int64_t epochs);
  ~Progress();

  // After each batch: `loss` is the mean of the epoch so far.
  void batch(int64_t epoch, uint64_t documents, const StepLoss& loss, double rate);
  // A line that stays.
  void line(const std::string& text);

 private:
  void show(const std::string& text, bool stays);

  using Clock = std::chrono::steady_clock;
  bool terminal_;
  uint64_t total_, done_, done_before_;
  int64_t epochs_;
  Clock::time_point start_, shown_;
  bool open_ = false;  // an unfinished line stands on the terminal
};

}  // namespace otseq2set::inline training
