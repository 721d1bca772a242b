// The bytes of a file or of standard input ("-"), unpacked when they are gzip, zstd or xz, which the first of
// them tell, whatever the file is called.
//
// Packed parts that follow each other in one file (cat a.gz b.gz) are read as one. Packed bytes that are
// damaged or end too early are an Error that names the file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace otseq2set::inline core {

// How messages call the file: its path, or "standard input".
std::string display_name(const std::string& path);

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Writes at most `bytes` (> 0) bytes and returns how many; 0 at the end. Takes what a pipe has to offer
  // instead of waiting until all are there.
  virtual size_t read(char* to, size_t bytes) = 0;
};

// Throws an Error that names the path and the reason when it cannot be opened, is a folder, or is packed in
// a way that is not known here.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

}  // namespace otseq2set::inline core
