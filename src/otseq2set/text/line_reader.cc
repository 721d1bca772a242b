#include "otseq2set/text/line_reader.h"

#include <algorithm>
#include <cstring>

#include "otseq2set/core/error.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline text {

namespace {

constexpr size_t kFirstBlock = size_t{1} << 14;
constexpr size_t kBlock = size_t{1} << 20;

// By its byte-order mark, or by the zeros that letters of the Latin alphabet have in it.
bool is_utf16(std::string_view start) {
  if (start.substr(0, 2) == "\xff\xfe" || start.substr(0, 2) == "\xfe\xff") return true;
  if (start.size() < 4) return false;
  const bool zeros[] = {start[0] == 0, start[1] == 0, start[2] == 0, start[3] == 0};
  return zeros[0] == zeros[2] && zeros[1] == zeros[3] && zeros[0] != zeros[1];
}

}  // namespace

LineReader::LineReader(const std::string& path, size_t max_line)
    : name_(display_name(path)), bytes_(open_bytes(path)), max_line_(max_line), buffer_(kFirstBlock + kPadding) {}

bool LineReader::next(std::string_view& line) {
  start();
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

std::string_view LineReader::peek(size_t lines, size_t bytes) {
  start();
  size_t found = 0;
  for (size_t counted = begin_; found < lines && filled_ - begin_ < bytes;) {
    found += static_cast<size_t>(std::count(buffer_.data() + counted, buffer_.data() + filled_, '\n'));
    counted = filled_ - begin_;  // begin_ becomes 0
    if (found < lines && !fill()) break;
  }
  return {buffer_.data() + begin_, filled_ - begin_};
}

// Before the first line: enough bytes to know the encoding, which is UTF-8 or something like it.
void LineReader::start() {
  if (started_) return;
  started_ = true;
  while (filled_ < 4 && fill()) {
  }
  const std::string_view beginning(buffer_.data(), filled_);
  if (is_utf16(beginning)) {
    fail("{}: the file is UTF-16, but must be UTF-8; iconv -f UTF-16 -t UTF-8 converts it", name_);
  }
  if (beginning.starts_with(kByteOrderMark)) begin_ = scanned_ = kByteOrderMark.size();
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
  // A pipe gives a long line in many small pieces; moving it onto itself each time would be quadratic.
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
  filled_ -= begin_;
  scanned_ -= begin_;
  begin_ = 0;
  // The buffer is small until a read fills it: most files of a few documents never need a large one.
  if (buffer_.size() < kBlock && buffer_was_full_) buffer_.resize(kBlock + kPadding);
  if (filled_ + kPadding >= buffer_.size()) buffer_.resize(2 * buffer_.size());
  const size_t room = buffer_.size() - kPadding - filled_;
  const size_t count = bytes_->read(buffer_.data() + filled_, room);
  buffer_was_full_ = count == room;
  filled_ += count;
  return count > 0;
}

// The line is [begin_, scanned_); begin_ moves behind it and behind its end, if it has one.
std::string_view LineReader::take_line() {
  std::string_view line(buffer_.data() + begin_, scanned_ - begin_);
  open_end_ = scanned_ == filled_;
  begin_ = scanned_ = open_end_ ? scanned_ : scanned_ + 1;
  ++line_;
  ended_with_return_ = !line.empty() && line.back() == '\r';
  if (ended_with_return_) line.remove_suffix(1);
  if (line.size() > max_line_) too_long_ = true;
  return too_long_ ? std::string_view() : line;
}

}  // namespace otseq2set::inline text
