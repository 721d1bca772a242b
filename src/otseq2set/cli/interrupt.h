// Ctrl-C and SIGTERM as a flag, while this lives; a second signal ends the program at once.
#pragma once

#include <atomic>
#include <csignal>

namespace otseq2set::inline cli {

class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  const std::atomic<bool>& raised() const;

 private:
  struct sigaction interrupt_before_, terminate_before_;
};

}  // namespace otseq2set::inline cli
