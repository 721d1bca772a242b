// What the fuzz targets share. A target is a file with run(): libFuzzer calls it with bytes of
// its choice, and everything but an Error is a finding: a crash, a sanitizer's complaint,
// another exception, a failed check.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/core/error.h"

namespace otseq2set::fuzz {

void run(std::string_view input);

// A file that lies in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0) std::abort();
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written <= 0) std::abort();
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// What must hold whatever the input is.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// Takes the first byte off the input; 0 when there is none.
inline unsigned take_byte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

// The input as several files: cut at lines "%%", always `count` of them, the last with the rest.
inline std::vector<std::string_view> split(std::string_view input, size_t count) {
  constexpr std::string_view kCut = "\n%%\n";
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < count) {
    const size_t end = std::min(input.find(kCut), input.size());
    parts.push_back(input.substr(0, end));
    input.remove_prefix(std::min(input.size(), end + kCut.size()));
  }
  parts.push_back(input);
  return parts;
}

}  // namespace otseq2set::fuzz
