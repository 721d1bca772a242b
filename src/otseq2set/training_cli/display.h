// What a person sees while training runs:
// on a terminal one line that is rewritten, in a log a line now and then.
#pragma once

#include <chrono>
#include <string>

#include "otseq2set/training.h"

namespace otseq2set::inline training_cli {

class Display {
 public:
  Display();
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  void progress(const TrainingProgress& progress);
  // A line that stays.
  void line(const std::string& text);

 private:
  void show(const std::string& text, bool stays);

  using Clock = std::chrono::steady_clock;
  bool terminal_;
  std::optional<Clock::time_point> shown_;
  bool open_ = false;  // an unfinished line stands on the terminal
};

}  // namespace otseq2set::inline training_cli
