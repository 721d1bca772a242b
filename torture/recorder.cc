#include "recorder.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <cstdlib>

namespace torture {

namespace {

std::FILE* open_or_die(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  if (file != nullptr) return file;
  std::perror(path.c_str());
  std::exit(2);
}

bool is_folder(const std::string& place) {
  struct stat status = {};
  return stat(place.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

Recorder::Recorder(const std::string& file) : lines_(open_or_die(file)), data_(open_or_die(file + ".data")) {}

Recorder::~Recorder() {
  std::fclose(lines_);
  std::fclose(data_);
}

void Recorder::before(const std::string& path) {
  struct stat status = {};
  existed_ = lstat(path.c_str(), &status) == 0;
}

// A number of the file system is used again once a file is gone, so a new file gets a new number of our own. A file
// that was there before the program has none yet; its first line says where it lies.
long Recorder::number_of(const std::string& place, bool is_new, const std::string& path) {
  struct stat status = {};
  if (stat(place.c_str(), &status) != 0) return -1;
  const std::pair<dev_t, ino_t> key(status.st_dev, status.st_ino);
  const auto found = numbers_.find(key);
  if (found != numbers_.end() && !is_new) return found->second;
  numbers_[key] = ++files_;
  std::fprintf(lines_, "%s\t%ld\t%s\n", is_new ? "create" : "known", files_, path.c_str());
  return files_;
}

void Recorder::opened(const Tracee& tracee, const std::string& path, bool truncates) {
  const std::string place = tracee.place_of(static_cast<int>(tracee.result()));
  if (is_folder(place)) return;
  const long file = number_of(place, !existed_, path);
  if (truncates && existed_) std::fprintf(lines_, "truncate\t%ld\t0\n", file);
}

void Recorder::written(const Tracee& tracee, const std::string& path, int64_t offset) {
  const auto length = static_cast<size_t>(tracee.result());
  const std::string bytes = tracee.bytes(tracee.argument(1), length);
  const long file = number_of(tracee.place_of(static_cast<int>(tracee.argument(0))), false, path);
  std::fprintf(lines_, "write\t%ld\t%ld\t%zu\n", file, static_cast<long>(offset), bytes.size());
  std::fwrite(bytes.data(), 1, bytes.size(), data_);
}

void Recorder::after(const Tracee& tracee, const SystemCall& call, const std::string& path, const std::string& other) {
  const int descriptor = static_cast<int>(tracee.argument(0));
  const auto tell = [&](const char* what) { std::fprintf(lines_, "%s\t%s\n", what, path.c_str()); };
  const auto tell_two = [&](const char* what) {
    std::fprintf(lines_, "%s\t%s\t%s\n", what, path.c_str(), other.c_str());
  };
  switch (call.number) {
    case SYS_open: return opened(tracee, path, (tracee.argument(1) & O_TRUNC) != 0);
    case SYS_openat: return opened(tracee, path, (tracee.argument(2) & O_TRUNC) != 0);
    case SYS_creat: return opened(tracee, path, true);
    case SYS_write: return written(tracee, path, tracee.offset_of(descriptor) - tracee.result());
    case SYS_pwrite64: return written(tracee, path, static_cast<int64_t>(tracee.argument(3)));
    case SYS_ftruncate:
      std::fprintf(lines_, "truncate\t%ld\t%lu\n", number_of(tracee.place_of(descriptor), false, path),
                   tracee.argument(1));
      return;
    case SYS_fsync:
    case SYS_fdatasync:
      if (is_folder(tracee.place_of(descriptor))) return tell("sync_folder");
      std::fprintf(lines_, "sync\t%ld\n", number_of(tracee.place_of(descriptor), false, path));
      return;
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2: return tell_two("rename");
    case SYS_link:
    case SYS_linkat: return tell_two("link");
    case SYS_unlink: return tell("unlink");
    case SYS_unlinkat: return tell((tracee.argument(2) & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink");
    case SYS_rmdir: return tell("rmdir");
    case SYS_mkdir:
    case SYS_mkdirat: return tell("mkdir");
    case SYS_writev:
    case SYS_fallocate: std::fprintf(lines_, "unknown\t%s\t%s\n", std::string(call.name).c_str(), path.c_str()); return;
    default: return;
  }
}

}  // namespace torture
