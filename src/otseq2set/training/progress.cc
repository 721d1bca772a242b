#include "otseq2set/training/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "otseq2set/core/memory.h"
#include "otseq2set/core/units.h"

namespace otseq2set::inline training {

namespace {
constexpr double kTerminalSeconds = 0.2, kLogSeconds = 30;
constexpr int kBarWidth = 20;
}  // namespace

Progress::Progress(uint64_t total, uint64_t done, int64_t epochs)
    : terminal_(isatty(STDERR_FILENO) != 0),
      total_(total),
      done_(done),
      done_before_(done),
      epochs_(epochs),
      start_(Clock::now()),
      shown_(start_) {}

Progress::~Progress() {
  if (open_) std::fputc('\n', stderr);
}

void Progress::batch(int64_t epoch, uint64_t documents, const StepLoss& loss, double rate) {
  done_ += documents;
  const auto now = Clock::now();
  const double since = std::chrono::duration<double>(now - shown_).count();
  if (since < (terminal_ ? kTerminalSeconds : kLogSeconds)) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double speed = static_cast<double>(done_ - done_before_) / seconds;
  const double share = static_cast<double>(done_) / static_cast<double>(std::max<uint64_t>(total_, 1));
  const int filled = static_cast<int>(share * kBarWidth);
  const std::string bar =
      terminal_ ? fmt::format("[{:#<{}}{:.<{}}] ", "", filled, "", kBarWidth - filled) : "";
  show(fmt::format("{}{:3.0f} %  epoch {}/{}  loss {:.3f} (matching {:.3f}, transport {:.3f})  rate {:.2g}  "
                   "{:.0f} documents/s  {} left  {}",
                   bar, 100 * share, epoch + 1, epochs_, loss.total, loss.matching, loss.transport, rate,
                   speed, format_duration(static_cast<double>(total_ - std::min(done_, total_)) / speed),
                   format_bytes(resident_memory())),
       !terminal_);
}

void Progress::line(const std::string& text) { show(text, true); }

void Progress::show(const std::string& text, bool stays) {
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", text, stays ? "\n" : "");
  std::fflush(stderr);
  open_ = !stays;
}

}  // namespace otseq2set::inline training
