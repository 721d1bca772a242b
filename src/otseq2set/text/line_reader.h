// The lines of a file or of standard input ("-"), read in large blocks.
//
// gzip, zstd and xz are unpacked (core/byte_source.h). A UTF-8 byte-order mark is skipped, CRLF ends a line
// as LF does, the last line needs no end. A line longer than the limit is passed over, so that one broken
// file cannot take all memory, and the reader goes on with the next.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/core/byte_source.h"

namespace otseq2set::inline text {

class LineReader {
 public:
  static constexpr size_t kMaxLine = size_t{64} << 20;
  static constexpr size_t kPadding = 64;  // bytes after a line that may be read, as simdjson does

  // Throws an Error that names the path and the reason when it cannot be opened or is a directory.
  explicit LineReader(const std::string& path, size_t max_line = kMaxLine);

  // The next line without its end, valid until the next call; false after the last one. Throws an Error when
  // the bytes are damaged (gzip, zstd, xz) or UTF-16.
  bool next(std::string_view& line);

  // What stands ahead, without reading it: as it is in the file, at least so many whole lines, or so many
  // bytes, or all there is. Valid until the next call.
  std::string_view peek(size_t lines, size_t bytes);

  bool too_long() const { return too_long_; }  // the line just read was over the limit and is given as empty
  bool ended_with_return() const { return ended_with_return_; }  // CRLF, not LF, ended the line just read
  bool open_end() const { return open_end_; }                    // the file, not a line end, ended the line just read
  size_t max_line() const { return max_line_; }
  size_t line() const { return line_; }  // the number of the line just read, from 1
  const std::string& name() const { return name_; }
  std::string place() const { return name_ + ':' + std::to_string(line_); }

 private:
  void start();
  bool find_end_of_line();
  bool fill();
  std::string_view take_line();

  std::string name_;
  std::unique_ptr<ByteSource> bytes_;
  size_t max_line_;
  std::vector<char> buffer_;  // its last kPadding bytes are never filled
  size_t begin_ = 0;          // the line being read: [begin_, scanned_) has no end of line yet
  size_t scanned_ = 0;
  size_t filled_ = 0;
  size_t line_ = 0;
  bool started_ = false;
  bool buffer_was_full_ = false;  // after the last read
  bool too_long_ = false;
  bool ended_with_return_ = false;
  bool open_end_ = false;
};

}  // namespace otseq2set::inline text
