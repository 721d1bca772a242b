#include "otseq2set/cli/interrupt.h"

namespace otseq2set::inline cli {

namespace {

std::atomic<bool> raised_flag{false};

void raise_flag(int) { raised_flag = true; }

}  // namespace

InterruptFlag::InterruptFlag() {
  raised_flag = false;
  struct sigaction action = {};
  action.sa_handler = raise_flag;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

InterruptFlag::~InterruptFlag() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

const std::atomic<bool>& InterruptFlag::raised() const { return raised_flag; }

}  // namespace otseq2set::inline cli
