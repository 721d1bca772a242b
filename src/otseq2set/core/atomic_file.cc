#include "otseq2set/core/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"

namespace otseq2set::inline core {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferSize = size_t{1} << 16;
constexpr size_t kLargestWrite = size_t{1} << 30;  // Linux writes at most 2 GB at once
constexpr size_t kLongestName = 200;               // of which a temporary name is made: 255 bytes are allowed
constexpr size_t kRandomLetters = 8;
constexpr std::string_view kTemporaryEnd = ".otseq2set.tmp";
constexpr int kAttempts = 100;  // to find a name that nobody has

// The file that a link leads to: to rename over the link would leave its target as it was.
std::string resolve_link(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) ? resolved : path;
}

// Exists, but is a pipe, a device or a folder: renaming over /dev/null would replace it for everybody.
// Standard output is one even where the shell has led it into a file, as others write into that too.
bool is_special(const std::string& path) {
  if (path == "/dev/stdout" || path == "/dev/stderr") return true;
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

// How the temporary names of a file begin.
std::string temporary_start(const std::string& path) {
  return "." + fs::path(path).filename().string().substr(0, kLongestName) + ".";
}

std::string random_letters() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  static_assert(kLetters.size() == 64);
  std::array<unsigned char, kRandomLetters> numbers = {};
  if (getrandom(numbers.data(), numbers.size(), 0) < 0) fail("no random numbers: {}", std::strerror(errno));
  std::string letters;
  for (const unsigned char number : numbers) letters += kLetters[number % kLetters.size()];
  return letters;
}

// Who creates a file locks it at once; one that is not locked has lost its process.
void remove_if_left_behind(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    unlink(path.c_str());
  }
  ::close(descriptor);
}

void remove_left_behind(const std::string& target) {
  const std::string start = temporary_start(target), folder = folder_of(target);
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.size() == start.size() + kRandomLetters + kTemporaryEnd.size() && name.starts_with(start) &&
        name.ends_with(kTemporaryEnd)) {
      remove_if_left_behind(entry->path().string());
    }
  }
}

// Locked, and still there: another process may have taken it for one that was left behind.
bool take(int descriptor) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;  // no locks here: nobody removes it
  struct stat status;
  return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

// As far as this process may. False if the group became another one, which must not get what its predecessor had.
bool give_to_owner_of(const struct stat& replaced, int descriptor) {
  struct stat own;
  if (fstat(descriptor, &own) != 0) return false;
  const bool same_group = own.st_gid == replaced.st_gid || fchown(descriptor, -1, replaced.st_gid) == 0;
  if (own.st_uid != replaced.st_uid && fchown(descriptor, replaced.st_uid, -1) != 0) return same_group;
  return same_group;
}

}  // namespace

AtomicFile::AtomicFile(FilePlace place) : place_(std::move(place)), target_(resolve_link(place_.path)) {
  errno = ENOENT;
  if (place_.path.empty()) give_up();
  if (place_.path == "-") {
    place_.path = "standard output";
    descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) give_up();
  } else if (is_special(place_.path)) {
    descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_APPEND);
    if (descriptor_ < 0) give_up();
  } else {
    open_temporary();
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::open_temporary() {
  remove_left_behind(target_);
  struct stat replaced;
  if (stat(target_.c_str(), &replaced) == 0) mode_ = replaced.st_mode & 0777;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string name =
        folder_of(target_) + "/" + temporary_start(target_) + random_letters() + std::string(kTemporaryEnd);
    // Nobody else reads what replaces a file that perhaps nobody else may read.
    descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_ ? 0600 : 0666);
    if (descriptor_ < 0 && errno == EEXIST) continue;
    if (descriptor_ < 0) give_up();
    temporary_ = name;
    if (take(descriptor_)) {
      if (mode_ && !give_to_owner_of(replaced, descriptor_)) *mode_ &= ~mode_t{S_IRWXG};
      return;
    }
    discard();
  }
  errno = EEXIST;
  give_up();
}

void AtomicFile::write(std::string_view bytes) { write(bytes.data(), bytes.size()); }

void AtomicFile::write(const void* data, size_t bytes) {
  if (buffer_.size() + bytes > kBufferSize) flush();
  const char* from = static_cast<const char*>(data);
  if (bytes >= kBufferSize) {
    write_through(from, bytes);
  } else if (bytes > 0) {
    buffer_.append(from, bytes);
  }
}

void AtomicFile::commit() {
  flush();
  if (temporary_.empty()) {  // a pipe or a device has nothing to sync; after EINTR the descriptor is gone on Linux
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) give_up();
    return;
  }
  if (mode_ && fchmod(descriptor_, *mode_) != 0) give_up();
  if (fsync(descriptor_) != 0) give_up();
  const std::string sum = place_.before || place_.after ? sum_.hex() : "";
  if (place_.before) place_.before(sum);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) give_up();
  temporary_.clear();
  if (sync_folder(folder_of(target_)) != 0) give_up();
  discard();  // the lock
  if (place_.after) place_.after(sum);
}

void AtomicFile::write_through(const char* data, size_t bytes) {
  if (place_.before || place_.after) sum_.add({data, bytes});
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, data, std::min(bytes, kLargestWrite));
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;
    if (written <= 0) give_up();
    data += written;
    bytes -= static_cast<size_t>(written);
  }
}

void AtomicFile::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::discard() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void AtomicFile::give_up() {
  const int reason = errno;
  discard();
  fail("cannot write {}: {}", place_.path, std::strerror(reason));
}

void write_file(const FilePlace& place, std::string_view bytes) {
  AtomicFile file(place);
  file.write(bytes);
  file.commit();
}

void link_or_copy(const std::string& from, const std::string& to) {
  remove_left_behind(to);
  const std::string temporary =
      folder_of(to) + "/" + temporary_start(to) + random_letters() + std::string(kTemporaryEnd);
  if (link(from.c_str(), temporary.c_str()) != 0) return write_file(to, read_file(from));
  const bool renamed = rename(temporary.c_str(), to.c_str()) == 0;
  const int reason = errno;
  unlink(temporary.c_str());  // rename does nothing where both are the same file already
  if (!renamed) fail("cannot write {}: {}", to, std::strerror(reason));
  if (sync_folder(folder_of(to)) != 0) fail("cannot write {}: {}", to, std::strerror(errno));
}

}  // namespace otseq2set::inline core
