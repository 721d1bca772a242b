#include "otseq2set/core/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "otseq2set/core/error.h"

namespace otseq2set::inline core {

namespace {

constexpr size_t kBufferSize = size_t{1} << 16;
constexpr size_t kLargestWrite = size_t{1} << 30;  // Linux writes at most 2 GB at once

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

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

// 0, or -1 with errno. Some network file systems cannot sync a folder and say EINVAL: let them.
int sync_folder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  const int reason = fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  errno = reason;
  return reason == 0 ? 0 : -1;
}

// The path itself if it is there, else the nearest of the folders that it is to be in.
std::filesystem::path existing_part(const std::string& path) {
  std::filesystem::path place = std::filesystem::absolute(path).lexically_normal();
  std::error_code error;
  while (std::filesystem::status(place, error).type() == std::filesystem::file_type::not_found &&
         place.has_relative_path()) {
    place = place.parent_path();
  }
  return place;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(resolve_link(path_)) {
  errno = ENOENT;
  if (path_.empty()) give_up();
  if (path_ == "-") {
    path_ = "standard output";
    descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) give_up();
    return;
  }
  const bool direct = is_special(path_);
  if (!direct) temporary_ = target_ + ".tmp";
  const std::string& name = direct ? target_ : temporary_;
  const int mode = direct ? O_APPEND : O_CREAT | O_TRUNC;
  descriptor_ = open(name.c_str(), O_WRONLY | O_CLOEXEC | mode, 0666);
  if (descriptor_ < 0) {
    temporary_.clear();  // not ours
    give_up();
  }
}

AtomicFile::~AtomicFile() { discard(); }

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
  if (temporary_.empty()) return close();  // a pipe or a device has nothing to sync
  if (fsync(descriptor_) != 0) give_up();
  close();
  if (rename(temporary_.c_str(), target_.c_str()) != 0) give_up();
  temporary_.clear();
  if (sync_folder(folder_of(target_)) != 0) give_up();
}

void AtomicFile::write_through(const char* data, size_t bytes) {
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

// After EINTR the descriptor is gone on Linux; the data was synced before.
void AtomicFile::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) give_up();
}

void AtomicFile::discard() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::give_up() {
  const int reason = errno;
  discard();
  fail("cannot write {}: {}", path_, std::strerror(reason));
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

std::string read_file(const std::string& path) {
  const auto give_up = [&] { fail("cannot read {}: {}", path, std::strerror(errno)); };
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (!file) give_up();
  std::string bytes;
  char chunk[1 << 16];
  size_t count;
  while ((count = std::fread(chunk, 1, sizeof chunk, file)) > 0) bytes.append(chunk, count);
  const int reason = std::ferror(file) ? errno : 0;
  std::fclose(file);
  errno = reason;
  if (reason != 0) give_up();
  return bytes;
}

void link_or_copy(const std::string& from, const std::string& to) {
  std::filesystem::remove(to);
  std::error_code no_link;
  std::filesystem::create_hard_link(from, to, no_link);
  if (no_link) write_file(to, read_file(from));
}

void check_writable_folder(const std::string& path) {
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  const std::string place = existing_part(path);
  int reason = 0;
  if (stat(place.c_str(), &status) != 0) {
    reason = errno;
  } else if (!S_ISDIR(status.st_mode)) {
    reason = ENOTDIR;
  } else if (faccessat(AT_FDCWD, place.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    reason = errno;
  }
  if (reason != 0) fail("cannot {} folder {}: {}", exists ? "write into" : "create", path, std::strerror(reason));
}

uint64_t free_space(const std::string& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(existing_part(folder), error);
  return error ? UINT64_MAX : space.available;
}

NamelessFile::NamelessFile() : file_(std::tmpfile(), &std::fclose) {
  if (!file_) fail("cannot write a temporary file: {}", std::strerror(errno));
  fcntl(descriptor(), F_SETFD, FD_CLOEXEC);
}

void NamelessFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    fail("cannot write a temporary file: {}", std::strerror(errno));
}

void NamelessFile::rewind() {
  if (std::fflush(file_.get()) != 0) fail("cannot write a temporary file: {}", std::strerror(errno));
  std::rewind(file_.get());
}

void NamelessFile::read(const std::function<void(std::string_view bytes)>& sink) {
  rewind();
  std::string block(kBufferSize, '\0');
  while (const size_t count = std::fread(block.data(), 1, block.size(), file_.get())) sink({block.data(), count});
  if (std::ferror(file_.get()) != 0) fail("cannot read a temporary file: {}", std::strerror(errno));
}

FolderLock::FolderLock(const std::string& folder) {
  const std::string path = folder + "/.lock";
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot lock {}: {}", folder, std::strerror(errno));
  char holder[32] = {};
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    const ssize_t length = pread(descriptor_, holder, sizeof holder - 1, 0);
    ::close(std::exchange(descriptor_, -1));
    if (reason != EWOULDBLOCK) fail("cannot lock {}: {}", folder, std::strerror(reason));
    const std::string process = length > 0 ? fmt::format(" (process {})", std::atol(holder)) : "";
    throw FolderInUse(fmt::format("{} is in use by another otseq2set{}", folder, process));
  }
  // The number is for the message above only; on a full disk the lock holds without it.
  const std::string process = fmt::format("{}\n", getpid());
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, process.data(), process.size(), 0) < 0) return;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

// The file stays: were it removed, a process that just opened it would lock a file nobody else can find.
FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace otseq2set::inline core
