#include "otseq2set/cli/meter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "otseq2set/core/units.h"

namespace otseq2set::inline cli {

namespace {
constexpr double kTerminalSeconds = 0.5, kLogSeconds = 30;
}  // namespace

Meter::Meter() : terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), shown_(start_) {}

void Meter::add(uint64_t documents) {
  documents_ += documents;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - shown_).count() < (terminal_ ? kTerminalSeconds : kLogSeconds)) return;
  shown_ = now;
  show(terminal_ ? "" : "\n");
}

void Meter::finish() { show("\n"); }

void Meter::show(const char* end) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  fmt::print(stderr, "{}{} documents in {}, {:.0f} a second{}", terminal_ ? "\r\033[K" : "", documents_,
             format_duration(seconds), static_cast<double>(documents_) / (seconds + 1e-9), end);
  std::fflush(stderr);
}

}  // namespace otseq2set::inline cli
