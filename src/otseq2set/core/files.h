// Files and folders: reading them whole, making and removing them so that it lasts, locking. core/atomic_file.h writes.
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

// The folder that a path's file is in.
std::string folder_of(const std::string& path);

// Where one may not look there is nothing; who then writes there learns why not. A disk that does not tell is an Error: a
// file that seems to be missing would be made anew.
bool path_exists(const std::string& path);

// Makes what was created, renamed or removed in the folder survive a power cut: 0, or -1 with the reason in errno.
int sync_folder(const std::string& folder);

// With all folders that it is in; each is synced. Nothing if it is there.
void create_folder(const std::string& path);

// And that survives a power cut. Nothing if there is none.
void remove_file(const std::string& path);

// The whole file; an Error "cannot read PATH: REASON" if that fails.
std::string read_file(const std::string& path);

// A regular file that is open for reading. To open anything else is an Error, and never waits, as it does for a pipe.
class RegularFile {
 public:
  explicit RegularFile(std::string path);
  ~RegularFile();
  RegularFile(RegularFile&& other) noexcept;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }  // when it was opened
  // So many bytes, or all there are behind `offset`.
  size_t read(uint64_t offset, char* to, size_t bytes) const;

 private:
  std::string path_;
  int descriptor_;
  uint64_t size_ = 0;
};

// A regular file in memory, all of it.
struct WholeFile {
  std::shared_ptr<const char> start;  // null if there are none
  size_t size = 0;

  std::string_view view() const { return {start.get(), size}; }
};

// An Error if it has more than `most` bytes, or more than there is memory for. One that becomes shorter meanwhile has
// the bytes that were still there.
WholeFile read_bytes(const std::string& path, uint64_t most = UINT64_MAX);

// Of a regular file, piece by piece.
std::string sha256_of_file(const std::string& path);

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
