#include "otseq2set/reproduction/claim.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"

namespace otseq2set::inline reproduction {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

std::string claim_path(const std::string& folder, int number) { return fmt::format("{}/claim.{}", folder, number); }

// The highest number of a claim in the folder, 0 when there is none; nothing when it cannot be read.
std::optional<int> highest(const std::string& folder) {
  int number = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    int found = 0;
    char rest = 0;
    if (std::sscanf(entry->path().filename().c_str(), "claim.%d%c", &found, &rest) == 1) {
      number = std::max(number, found);
    }
  }
  if (error) return std::nullopt;
  return number;
}

std::string first_line(const std::string& path) {
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error&) {
    return "";
  }
  return text.substr(0, text.find('\n'));
}

// Tells this run of this machine from all others; a container has process numbers of its own.
std::string machine() {
  char name[256] = {}, processes[256] = {};
  gethostname(name, sizeof name - 1);
  if (readlink("/proc/self/ns/pid", processes, sizeof processes - 1) < 0) processes[0] = '\0';
  return fmt::format("{} {} {}", name, first_line("/proc/sys/kernel/random/boot_id"), processes);
}

// When the process was started, in the kernel's ticks; empty when there is none, or one that has ended and
// nobody has asked about. A number may be given to another process later, but not together with this.
std::string process_start(int64_t pid) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", pid));
  size_t place = line.rfind(')');  // behind the name, which may hold anything
  if (place == std::string::npos || place + 2 >= line.size()) return "";
  if (const char state = line[place + 2]; state == 'Z' || state == 'X') return "";
  for (int field = 2; place != std::string::npos && field < 22; ++field) place = line.find(' ', place + 1);
  if (place == std::string::npos) return "";
  return line.substr(place + 1, line.find(' ', place + 1) - place - 1);
}

std::string own_mark() {
  const int64_t pid = getpid();
  return Json{{"machine", machine()}, {"pid", pid}, {"started", process_start(pid)}}.dump();
}

// Whether the owner's process is gone; known of this machine only.
std::optional<bool> owner_is_gone(const std::string& path) {
  const Json mark = Json::parse(first_line(path), nullptr, false);
  if (!mark.is_object() || mark.value("machine", Json()) != Json(machine())) return std::nullopt;
  const Json pid = mark.value("pid", Json());
  if (!pid.is_number_integer()) return std::nullopt;
  return mark.value("started", Json()) != Json(process_start(pid));
}

std::chrono::nanoseconds changed(const struct stat& status) {
  return std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
}

// Times of several machines agree only by the clock that stamps the files: a file touched now tells what it
// says. What cannot be found out counts as touched.
bool untouched_for(const std::string& path, std::chrono::milliseconds time) {
  const std::string probe = fmt::format("{}.{}.now", path, getpid());
  const int descriptor = open(probe.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor < 0) return false;
  struct stat now {
  }, then{};
  const bool known =
      futimens(descriptor, nullptr) == 0 && fstat(descriptor, &now) == 0 && stat(path.c_str(), &then) == 0;
  close(descriptor);
  unlink(probe.c_str());
  return known && changed(now) - changed(then) > time;
}

bool is_dead(const std::string& path, const ClaimTimes& times) {
  const std::optional<bool> gone = owner_is_gone(path);
  return gone ? *gone : untouched_for(path, times.dead_after);
}

// False when the file exists.
bool create(const std::string& path) {
  const int descriptor = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    if (errno == EEXIST) return false;
    fail("cannot write {}: {}", path, std::strerror(errno));
  }
  const std::string mark = own_mark() + "\n";
  const bool written = write(descriptor, mark.data(), mark.size()) == static_cast<ssize_t>(mark.size());
  close(descriptor);
  if (!written) {
    unlink(path.c_str());
    fail("cannot write {}", path);
  }
  return true;
}

}  // namespace

bool Claim::held(const std::string& folder, const ClaimTimes& times) {
  const int number = highest(folder).value_or(0);
  return number > 0 && !is_dead(claim_path(folder, number), times);
}

std::unique_ptr<Claim> Claim::take(const std::string& folder, const ClaimTimes& times) {
  const std::optional<int> number = highest(folder);
  if (!number) {
    if (access(folder.c_str(), R_OK | X_OK) != 0 && errno == EACCES)
      fail("cannot read {}: {}", folder, std::strerror(errno));
    return nullptr;  // it may be there in a moment
  }
  if (*number > 0 && !is_dead(claim_path(folder, *number), times)) return nullptr;
  if (!create(claim_path(folder, *number + 1))) return nullptr;
  return std::unique_ptr<Claim>(new Claim(folder, *number + 1, times));
}

Claim::Claim(std::string folder, int number, const ClaimTimes& times)
    : folder_(std::move(folder)), mark_(own_mark()), number_(number), times_(times), keeper_([this] { keep(); }) {}

Claim::~Claim() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  keeper_.join();
  if (!still_own().value_or(false)) return;
  for (int number = 1; number <= number_; ++number) unlink(claim_path(folder_, number).c_str());
}

void Claim::keep() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_.wait_for(lock, times_.touch_every, [this] { return ending_; })) {
    utimensat(AT_FDCWD, claim_path(folder_, number_).c_str(), nullptr, 0);
    if (!still_own().value_or(true)) lost_ = true;
  }
}

std::optional<bool> Claim::still_own() const {
  const std::optional<int> number = highest(folder_);
  if (!number) return std::nullopt;
  if (*number != number_) return false;
  const std::string mark = first_line(claim_path(folder_, number_));
  if (mark.empty()) return std::nullopt;
  return mark == mark_;
}

}  // namespace otseq2set::inline reproduction
