// How many documents a long reading command has done, for a person who waits.
#pragma once

#include <chrono>
#include <cstdint>

namespace otseq2set::inline cli {

class Meter {
 public:
  Meter();
  // On a terminal one line that is rewritten, in a log a line every half minute.
  void add(uint64_t documents);
  // "1200 documents in 0:03, 400 a second"; ends the line.
  void finish();

 private:
  void show(const char* end) const;

  using Clock = std::chrono::steady_clock;
  bool terminal_;
  uint64_t documents_ = 0;
  Clock::time_point start_, shown_;
};

}  // namespace otseq2set::inline cli
