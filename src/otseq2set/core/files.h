// Files that are whole or not there: nothing on disk is left half-written by an error, a full disk or a kill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "otseq2set/core/error.h"

namespace otseq2set::inline core {

// Writes beside the file (`path.tmp`), and puts it in place at once:
//
//   AtomicFile file("model/config.json");
//   file.write(text);
//   file.commit();
//
// Until commit returns, a reader finds the old file or none, whatever happens; after it the new one, which
// also survives a power cut (file and folder are synced). Every failure is an Error "cannot write PATH:
// REASON" and removes the temporary file. A temporary left by a killed process is overwritten by the next
// write. A symbolic link is followed; a path that is no regular file (a pipe, /dev/stdout) is written
// directly, and so is standard output, "-".
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();  // without commit the old file stays
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void write(const void* data, size_t bytes);
  void commit();

 private:
  [[noreturn]] void give_up();  // with the reason in errno
  void write_through(const char* data, size_t bytes);
  void flush();
  void close();
  void discard();

  std::string path_;       // as given, for messages
  std::string target_;     // where the file comes to lie
  std::string temporary_;  // empty: written directly
  std::string buffer_;
  int descriptor_ = -1;
};

// The whole file at once, atomically.
void write_file(const std::string& path, std::string_view bytes);

// The whole file; an Error "cannot read PATH: REASON" if that fails.
std::string read_file(const std::string& path);

// The same file under a second name, or a copy of it where file systems differ. What was at `to` is replaced.
void link_or_copy(const std::string& from, const std::string& to);

// An Error if the folder cannot be written into, or is not there and cannot be created. Creates nothing.
void check_writable_folder(const std::string& path);

// Bytes that are free where the folder is or would be created; the largest number if unknown.
uint64_t free_space(const std::string& folder);

// A file without a name, which goes with this object.
class NamelessFile {
 public:
  NamelessFile();

  int descriptor() const { return fileno(file_.get()); }

  void write(std::string_view bytes);
  // Who reads next, here or in a child process, begins at the beginning.
  void rewind();
  // All of it, piece by piece.
  void read(const std::function<void(std::string_view bytes)>& sink);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// Another process holds the folder.
class FolderInUse : public Error {
 public:
  using Error::Error;
};

// Keeps other processes from writing into a folder for as long as it lives. The kernel drops the lock when
// the process ends, however it ends. FolderInUse says which process holds it. Move-only.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);  // the folder exists; holds `folder/.lock`
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace otseq2set::inline core
