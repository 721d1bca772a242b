#include "otseq2set/text/line_reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "otseq2set/core/error.h"

namespace otseq2set {

namespace {

constexpr size_t kBlock = size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

int keep_open(std::FILE*) { return 0; }

}  // namespace

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

LineReader::File LineReader::open(const std::string& path) {
  if (path == "-") return File(stdin, keep_open);
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail("cannot read {}: {}", path, std::strerror(errno));
  struct stat status;
  if (fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode)) {
    fail("cannot read {}: {}", path, std::strerror(EISDIR));
  }
  return file;
}

LineReader::LineReader(const std::string& path, size_t max_line)
    : name_(display_name(path)), file_(open(path)), max_line_(max_line), buffer_(kBlock + kPadding) {}

bool LineReader::next(std::string_view& line) {
  too_long_ = false;
  while (!find_end_of_line()) {
    // What is not counted: a byte-order mark before the line and a carriage return at its end.
    if (filled_ - begin_ > max_line_ + kByteOrderMark.size() + 1) {
      too_long_ = true;
      begin_ = scanned_ = filled_ = 0;
    }
    if (fill()) continue;
    if (begin_ == filled_ && !too_long_) return false;
    break;
  }
  line = take_line();
  return true;
}

// Moves scanned_ to the next line feed, if it is in the buffer.
bool LineReader::find_end_of_line() {
  if (scanned_ == filled_) return false;
  const void* found = std::memchr(buffer_.data() + scanned_, '\n', filled_ - scanned_);
  scanned_ = found ? static_cast<const char*>(found) - buffer_.data() : filled_;
  return found != nullptr;
}

// Reads more behind what is there. Takes what a pipe has to offer instead of waiting for a whole block, so
// that documents can be answered one by one.
bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
  filled_ -= begin_;
  scanned_ -= begin_;
  begin_ = 0;
  if (filled_ + kPadding >= buffer_.size()) buffer_.resize(2 * buffer_.size());
  ssize_t count;
  do {
    count = ::read(fileno(file_.get()), buffer_.data() + filled_, buffer_.size() - kPadding - filled_);
  } while (count < 0 && errno == EINTR);
  if (count < 0) fail("cannot read {}: {}", name_, std::strerror(errno));
  filled_ += static_cast<size_t>(count);
  return count > 0;
}

// The line is [begin_, scanned_); begin_ moves behind it and behind its end, if it has one.
std::string_view LineReader::take_line() {
  std::string_view line(buffer_.data() + begin_, scanned_ - begin_);
  begin_ = scanned_ = scanned_ < filled_ ? scanned_ + 1 : scanned_;
  ++line_;
  if (line_ == 1 && line.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    line.remove_prefix(kByteOrderMark.size());
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.size() > max_line_) too_long_ = true;
  return too_long_ ? std::string_view() : line;
}

}  // namespace otseq2set
