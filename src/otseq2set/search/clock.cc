#include "otseq2set/search/clock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/reproduction/training_process.h"

namespace otseq2set::inline search {

namespace {

using Seconds = std::chrono::duration<double>;

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
  return static_cast<double>(status.st_mtim.tv_sec) + 1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
}

struct Reading {
  double seconds = 0, at = 0;
};

std::optional<Reading> last_reading(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Json json = Json::parse(read_file(path), nullptr, false);
  const auto number = [&](const char* key) {
    const Json value = json.is_object() ? json.value(key, Json()) : Json();
    if (!value.is_number() || value < 0) fail("{}: \"{}\" is not a valid number", path, key);
    return value.get<double>();
  };
  return Reading{number("seconds"), number("at")};
}

}  // namespace

SearchClock::SearchClock(std::string folder, const ClockTimes& times)
    : folder_(std::move(folder)), times_(times), ticked_(Steady::now()) {
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
  const std::optional<Reading> before = last_reading(path);
  const std::optional<double> now = time_of_files(folder_);
  if (!now) fail("cannot write into {}", folder_);
  double seconds = 0;
  if (before) {
    const double gap = *now - before->at;
    seconds = before->seconds + (gap > 0 && gap < Seconds(times_.longest_gap).count() ? gap : 0);
  }
  write_file(path, Json{{"seconds", seconds}, {"at", *now}}.dump() + "\n");
  const std::lock_guard<std::mutex> lock(mutex_);
  seconds_ = seconds;
  ticked_ = Steady::now();
}

}  // namespace otseq2set::inline search
