// Lines into a file, by a thread of its own: who has something to log never waits for a disk, or for whoever reads
// the other end of a pipe. What cannot be written is lost, and counted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace otseq2set::inline serving {

class LineWriter {
 public:
  static constexpr size_t kMostWaiting = size_t{1} << 20;  // bytes

  // A file that is appended to, "-" for standard output; an Error when it cannot be opened.
  explicit LineWriter(std::string path);
  // When what waits is written, or could not be for a second.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // With its line feed; of at most kWrittenAtOnce bytes. Returns at once.
  void write(std::string_view line);

  // Opens the file again, after it was moved away by whoever rotates logs. An Error leaves it as it is.
  void reopen();

  uint64_t lost() const;  // lines

 private:
  void work();
  void take_next_file();
  void write_out(std::string_view lines);
  bool write_piece(std::string_view piece);  // false: lost
  bool is_over() const;
  void lose(std::string_view lines);
  void tell_failure(int error);
  void tell_success();

  const std::string path_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;  // whole lines
  uint64_t lost_ = 0;
  int next_file_ = -1;  // after `reopen`
  bool over_ = false;

  // Of the thread alone.
  int file_;
  bool torn_ = false;         // the file ends within a line
  uint64_t lost_before_ = 0;  // when it failed
  bool fails_ = false;
  int last_attempts_ = 10;  // when it shall end and there is no room for what waits
  std::thread thread_;      // last: it uses the others
};

}  // namespace otseq2set::inline serving
