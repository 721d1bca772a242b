#include "otseq2set/training_cli/display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "otseq2set/core/memory.h"
#include "otseq2set/core/units.h"

namespace otseq2set::inline training_cli {

namespace {
constexpr double kTerminalSeconds = 0.2, kLogSeconds = 30;
constexpr int kBarWidth = 20;
}  // namespace

Display::Display() : terminal_(isatty(STDERR_FILENO) != 0) {}

Display::~Display() {
  if (open_) std::fputc('\n', stderr);
}

void Display::progress(const TrainingProgress& now) {
  const auto time = Clock::now();
  if (!shown_) shown_ = time;
  if (std::chrono::duration<double>(time - *shown_).count() < (terminal_ ? kTerminalSeconds : kLogSeconds)) return;
  shown_ = time;
  const double share =
      static_cast<double>(now.documents_done) / static_cast<double>(std::max<uint64_t>(now.documents_total, 1));
  const int filled = static_cast<int>(share * kBarWidth);
  const std::string bar = terminal_ ? fmt::format("[{:#<{}}{:.<{}}] ", "", filled, "", kBarWidth - filled) : "";
  show(fmt::format("{}{:3.0f} %  epoch {}/{}  loss {:.3f} (matching {:.3f}, transport {:.3f})  rate {:.2g}  "
                   "{:.0f} documents/s  {} left  {}",
                   bar, 100 * share, now.epoch, now.epochs, now.loss, now.matching_loss, now.transport_loss,
                   now.learning_rate, now.documents_per_second, format_duration(now.seconds_left),
                   format_bytes(resident_memory())),
       !terminal_);
}

void Display::line(const std::string& text) { show(text, true); }

void Display::show(const std::string& text, bool stays) {
  fmt::print(stderr, "{}{}{}", open_ || !stays ? "\r\033[K" : "", text, stays ? "\n" : "");
  std::fflush(stderr);
  open_ = !stays;
}

}  // namespace otseq2set::inline training_cli
