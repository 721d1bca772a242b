#include "otseq2set/search/clock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/reproduction/training_process.h"

namespace otseq2set::inline search {

namespace {

using Seconds = std::chrono::duration<double>;

double stamp(const struct stat& status) {
  return static_cast<double>(status.st_mtim.tv_sec) + 1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
}

std::optional<double> last_change(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return stamp(status);
}

// By the clock that stamps the files.
std::optional<double> time_of_files(const std::string& folder) {
  const std::string probe = fmt::format("{}/clock.{}.now", folder, getpid());
  const int descriptor = open(probe.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  const bool known = futimens(descriptor, nullptr) == 0 && fstat(descriptor, &status) == 0;
  close(descriptor);
  unlink(probe.c_str());
  if (!known) return std::nullopt;
  return stamp(status);
}

double seconds_in(const std::string& path) {
  const Json json = Json::parse(read_file(path), nullptr, false);
  const Json seconds = json.is_object() ? json.value("seconds", Json()) : Json();
  if (!seconds.is_number() || seconds < 0) fail("{}: no number of seconds", path);
  return seconds;
}

}  // namespace

SearchClock::SearchClock(std::string folder, const ClockTimes& times)
    : folder_(std::move(folder)), times_(times), ticked_(Steady::now()) {
  if (last_change(folder_ + "/clock.json")) seconds_ = seconds_in(folder_ + "/clock.json");
  tick();
  keeper_ = std::thread([this] { keep(); });
}

SearchClock::~SearchClock() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  keeper_.join();
}

double SearchClock::seconds() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return seconds_ + Seconds(Steady::now() - ticked_).count();
}

void SearchClock::keep() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_.wait_for(lock, times_.tick_every, [this] { return ending_; })) {
    lock.unlock();
    try {
      tick();
    } catch (const Error&) {  // a shared folder may fail for a moment; the next tick tells all
    }
    lock.lock();
  }
}

void SearchClock::tick() {
  const std::string path = folder_ + "/clock.json";
  const FolderLock folder_lock = lock_for_a_moment(folder_);
  const std::optional<double> before = last_change(path), now = time_of_files(folder_);
  if (!now) return;
  double seconds = before ? seconds_in(path) : 0;
  const double gap = before ? *now - *before : 0;
  if (gap > 0 && gap < Seconds(times_.longest_gap).count()) seconds += gap;
  write_file(path, Json{{"seconds", seconds}}.dump() + "\n");
  const std::lock_guard<std::mutex> lock(mutex_);
  seconds_ = seconds;
  ticked_ = Steady::now();
}

}  // namespace otseq2set::inline search
