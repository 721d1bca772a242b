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

using Unpack = std::unique_ptr<ByteSource> (*)(std::unique_ptr<ByteSource> packed, std::string name);

constexpr struct {
  std::string_view start;
  Unpack unpack;  // none: it cannot be read here
  const char* name;
} kPackings[] = {
    {"\x1f\x8b"sv, unpack_gzip, "gzip"},
    {"\x28\xb5\x2f\xfd"sv, unpack_zstd, "zstd"},
    {"\xfd"
     "7zXZ\0"sv,
     unpack_xz, "xz"},
    {"BZh91AY&SY"sv, nullptr, "bzip2"},
    {"PK\x03\x04"sv, nullptr, "zip"},
    {"7z\xbc\xaf\x27\x1c"sv, nullptr, "7z"},
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
  Unpack packing() {
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
        if (known.unpack == nullptr) {
          fail("{} is compressed with {}, which is not supported; unpack it, or compress it with gzip, zstd or xz",
               name_, known.name);
        }
        start_ = start;
        return known.unpack;
      }
      const size_t count = undecided ? read(buffer, kLongestStart - start.size()) : 0;
      start.append(buffer, count);
      if (count == 0) break;
    }
    start_ = start;
    return nullptr;
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
  if (const Unpack unpack = file->packing()) return unpack(std::move(file), display_name(path));
  return file;
}

}  // namespace otseq2set::inline core
