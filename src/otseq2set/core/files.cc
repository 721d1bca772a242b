#include "otseq2set/core/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/sha256.h"

namespace otseq2set::inline core {

namespace {

constexpr size_t kPiece = size_t{1} << 16;
constexpr uint64_t kLarge = uint64_t{64} << 20;  // memory is asked for before this much is read

[[noreturn]] void fail_to_read(const std::string& path, const char* reason) {
  fail("cannot read {}: {}", path, reason);
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

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool path_exists(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return true;
  if (error && error != std::errc::permission_denied) fail("cannot look at {}: {}", path, error.message());
  return false;
}

// Some network file systems cannot sync a folder and say EINVAL: let them.
int sync_folder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  const int reason = fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  errno = reason;
  return reason == 0 ? 0 : -1;
}

void create_folder(const std::string& path) {
  const std::filesystem::path place = std::filesystem::absolute(path).lexically_normal();
  std::filesystem::path folder = existing_part(path);
  std::error_code error;
  std::filesystem::create_directories(place, error);
  if (error) fail("cannot create folder {}: {}", path, error.message());
  for (const std::filesystem::path& part : place.lexically_relative(folder)) {
    if (part == "." || part.empty()) continue;
    if (sync_folder(folder) != 0) fail("cannot create folder {}: {}", path, std::strerror(errno));
    folder /= part;
  }
}

void remove_file(const std::string& path) {
  if (unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return;
    fail("cannot remove {}: {}", path, std::strerror(errno));
  }
  if (sync_folder(folder_of(path)) != 0) fail("cannot remove {}: {}", path, std::strerror(errno));
}

RegularFile::RegularFile(std::string path)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) fail_to_read(path_, std::strerror(errno));
  struct stat status = {};
  const int reason = fstat(descriptor_, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
  if (reason == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  fail_to_read(path_, reason != 0 ? std::strerror(reason) : "not a regular file");
}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

size_t RegularFile::read(uint64_t offset, char* to, size_t bytes) const {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(descriptor_, to + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(path_, std::strerror(errno));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

WholeFile read_bytes(const std::string& path, uint64_t most) {
  const RegularFile file(path);
  const uint64_t size = file.size();
  if (size > most) fail("cannot read {}: {} bytes, but at most {} are expected", path, size, most);
  if (const uint64_t available = size > kLarge ? available_memory() : 0; available > 0 && size > available) {
    fail("cannot read {}: {} bytes, but there is memory for {}", path, size, available);
  }
  if (size == 0) return {};
  const std::shared_ptr<char> start(new char[size], std::default_delete<char[]>());
  return {start, file.read(0, start.get(), size)};
}

std::string sha256_of_file(const std::string& path) {
  const RegularFile file(path);
  Sha256 sum;
  std::string block(kPiece, '\0');
  uint64_t offset = 0;
  while (const size_t count = file.read(offset, block.data(), block.size())) {
    sum.add({block.data(), count});
    offset += count;
  }
  return sum.hex();
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
  std::string block(kPiece, '\0');
  while (const size_t count = std::fread(block.data(), 1, block.size(), file_.get())) sink({block.data(), count});
  if (std::ferror(file_.get()) != 0) fail("cannot read a temporary file: {}", std::strerror(errno));
}

FolderLock::FolderLock(const std::string& folder) {
  const std::string path = folder + "/.lock";
  // Not through a link, nor a file that has another name: its owner would find a number in it.
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && errno != ELOOP) fail("cannot lock {}: {}", folder, std::strerror(errno));
  struct stat status = {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1) {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    fail("cannot lock {}: {} is not a file of its own", folder, path);
  }
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
