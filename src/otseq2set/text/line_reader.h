// The lines of a file or of standard input ("-"), read in large blocks.
//
// A UTF-8 byte-order mark is skipped, CRLF ends a line as LF does, the last line needs no end. A line longer
// than the limit is passed over, so that one broken file cannot take all memory, and the reader goes on with
// the next.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace otseq2set {

// How messages call the file: its path, or "standard input".
std::string display_name(const std::string& path);

class LineReader {
 public:
  static constexpr size_t kMaxLine = size_t{256} << 20;
  static constexpr size_t kPadding = 64;  // bytes after a line that may be read, as simdjson does

  // Throws an Error that names the path and the reason when it cannot be opened or is a directory.
  explicit LineReader(const std::string& path, size_t max_line = kMaxLine);

  // The next line without its end, valid until the next call; false after the last one.
  bool next(std::string_view& line);

  bool too_long() const { return too_long_; }  // the line just read was over the limit and is given as empty
  size_t max_line() const { return max_line_; }
  size_t line() const { return line_; }  // the number of the line just read, from 1
  const std::string& name() const { return name_; }
  std::string place() const { return name_ + ':' + std::to_string(line_); }

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  static File open(const std::string& path);

  bool find_end_of_line();
  bool fill();
  std::string_view take_line();

  std::string name_;
  File file_;
  size_t max_line_;
  std::vector<char> buffer_;  // its last kPadding bytes are never filled
  size_t begin_ = 0;          // the line being read: [begin_, scanned_) has no end of line yet
  size_t scanned_ = 0;
  size_t filled_ = 0;
  size_t line_ = 0;
  bool too_long_ = false;
};

}  // namespace otseq2set
