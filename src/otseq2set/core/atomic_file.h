// A file that is whole or not there: nothing on disk is left half-written by an error, a full disk or a kill.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "otseq2set/core/sha256.h"

namespace otseq2set::inline core {

// Where a file goes, and who hears of it.
struct FilePlace {
  // Of the SHA-256 of all that was written.
  using Hear = std::function<void(const std::string& sha256)>;

  // NOLINTNEXTLINE(google-explicit-constructor): a path is a place that nobody watches
  FilePlace(std::string path_of_file) : path(std::move(path_of_file)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  FilePlace(const char* path_of_file) : path(path_of_file) {}

  std::string path;
  Hear before;  // it takes its place: it is on the disk, under another name
  Hear after;
};

// Writes beside the file, and puts it in place at once:
//
//   AtomicFile file("model/config.json");
//   file.write(text);
//   file.commit();
//
// Until commit returns, a reader finds the old file or none, whatever happens; after it the new one, which
// also survives a power cut (file and folder are synced). Every failure is an Error "cannot write PATH:
// REASON" and removes the temporary file. The file keeps the permissions that it had. A symbolic link is followed; a
// path that is no regular file (a pipe, /dev/stdout) is written directly, and so is standard output, "-".
//
// The temporary file, .NAME.XXXXXXXX.otseq2set.tmp, is this object's own and locked while it lives. What killed
// processes left of the same NAME has no lock and is removed by the next write.
class AtomicFile {
 public:
  explicit AtomicFile(FilePlace place);
  ~AtomicFile();  // without commit the old file stays
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void write(const void* data, size_t bytes);
  void commit();

 private:
  [[noreturn]] void give_up();  // with the reason in errno
  void open_temporary();
  void write_through(const char* data, size_t bytes);
  void flush();
  void discard();

  FilePlace place_;             // as given, for messages
  std::string target_;          // where the file comes to lie
  std::string temporary_;       // empty: written directly
  std::optional<mode_t> mode_;  // of the file that is replaced
  std::string buffer_;
  Sha256 sum_;
  int descriptor_ = -1;
};

// The whole file at once, atomically.
void write_file(const FilePlace& place, std::string_view bytes);

// The same file under a second name, or a copy of it where file systems differ. What was at `to` is replaced at once.
void link_or_copy(const std::string& from, const std::string& to);

}  // namespace otseq2set::inline core
