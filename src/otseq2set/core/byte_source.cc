#include "otseq2set/core/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/core/unpacking.h"

namespace otseq2set::inline core {

namespace {

using namespace std::string_view_literals;

enum class Packing { kNone, kGzip, kZstd, kXz, kUnknown };

constexpr struct {
  std::string_view start;
  Packing packing;
  const char* name;
} kPackings[] = {
    {"\x1f\x8b"sv, Packing::kGzip, "gzip"},
    {"\x28\xb5\x2f\xfd"sv, Packing::kZstd, "zstd"},
    {"\xfd"
     "7zXZ\0"sv,
     Packing::kXz, "xz"},
    {"BZh91AY&SY"sv, Packing::kUnknown, "bzip2"},
    {"PK\x03\x04"sv, Packing::kUnknown, "zip"},
    {"7z\xbc\xaf\x27\x1c"sv, Packing::kUnknown, "7z"},
};
constexpr size_t kLongestStart = 10;

// A descriptor, closed at the end unless it is standard input.
class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const std::string& path) : name_(display_name(path)) {
    if (path == "-") return;
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot read {}: {}", path, std::strerror(errno));
    struct stat status;
    if (fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
      close(std::exchange(descriptor_, STDIN_FILENO));
      fail("cannot read {}: {}", path, std::strerror(EISDIR));
    }
  }
  ~FileBytes() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  size_t read(char* to, size_t bytes) override {
    if (!start_.empty()) {
      const size_t count = std::min(bytes, start_.size());
      std::memcpy(to, start_.data(), count);
      start_.erase(0, count);
      return count;
    }
    ssize_t count;
    do {
      count = ::read(descriptor_, to, bytes);
    } while (count < 0 && errno == EINTR);
    if (count < 0) fail("cannot read {}: {}", name_, std::strerror(errno));
    return static_cast<size_t>(count);
  }

  // Looks at the first bytes, which `read` gives all the same. Reads on only while they may still become the
  // start of something packed: a person who types shall not have to type ten letters first.
  Packing packing() {
    char buffer[kLongestStart];
    std::string start;
    for (;;) {
      bool undecided = false;
      for (const auto& known : kPackings) {
        const std::string_view common = std::string_view(start).substr(0, known.start.size());
        if (common != known.start.substr(0, common.size())) continue;
        if (common.size() < known.start.size()) {
          undecided = true;
          continue;
        }
        if (known.packing == Packing::kUnknown) {
          fail("{} is packed by {}, which cannot be read here; unpack it, or pack it with gzip, zstd or xz",
               name_, known.name);
        }
        start_ = start;
        return known.packing;
      }
      const size_t count = undecided ? read(buffer, kLongestStart - start.size()) : 0;
      start.append(buffer, count);
      if (count == 0) break;
    }
    start_ = start;
    return Packing::kNone;
  }

 private:
  std::string name_;
  int descriptor_ = STDIN_FILENO;
  std::string start_;  // looked at already
};

}  // namespace

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  auto file = std::make_unique<FileBytes>(path);
  switch (file->packing()) {
    case Packing::kGzip:
      return unpack_gzip(std::move(file), display_name(path));
    case Packing::kZstd:
      return unpack_zstd(std::move(file), display_name(path));
    case Packing::kXz:
      return unpack_xz(std::move(file), display_name(path));
    default:
      return file;
  }
}

}  // namespace otseq2set::inline core
