#include "otseq2set/serving/line_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "otseq2set/core/error.h"
#include "otseq2set/http/ready_write.h"
#include "otseq2set/http/tell.h"

namespace otseq2set::inline serving {

namespace {

constexpr std::chrono::milliseconds kPatience{100};  // then it looks whether it shall end

int open_log(const std::string& path) {
  if (path == "-") return STDOUT_FILENO;
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail("cannot write {}: {}", path, std::strerror(errno));
  return file;
}

void close_log(int file) {
  if (file != STDOUT_FILENO) ::close(file);
}

}  // namespace

LineWriter::LineWriter(std::string path)
    : path_(std::move(path)), file_(open_log(path_)), thread_([this] { work(); }) {}

LineWriter::~LineWriter() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
    changed_.notify_one();
  }
  thread_.join();
  close_log(file_);
  if (next_file_ >= 0) close_log(next_file_);
  if (lost_ > 0) tell("warning: {} lines of the access log were lost", lost_);
}

void LineWriter::write(std::string_view line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (line.size() > kWrittenAtOnce || waiting_.size() + line.size() > kMostWaiting) {
    ++lost_;
    return;
  }
  if (waiting_.empty()) changed_.notify_one();
  waiting_ += line;
}

void LineWriter::reopen() {
  if (path_ == "-") return;
  const int file = open_log(path_);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (next_file_ >= 0) close_log(next_file_);
  next_file_ = file;
  changed_.notify_one();
}

void LineWriter::take_next_file() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (next_file_ < 0) return;
  close_log(std::exchange(file_, std::exchange(next_file_, -1)));
  torn_ = false;
}

uint64_t LineWriter::lost() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return lost_;
}

bool LineWriter::is_over() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return over_;
}

void LineWriter::lose(std::string_view lines) {
  const std::lock_guard<std::mutex> lock(mutex_);
  lost_ += static_cast<uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
}

void LineWriter::work() {
  std::string lines;
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return over_ || next_file_ >= 0 || !waiting_.empty(); });
      if (waiting_.empty() && over_) return;
      lines.swap(waiting_);
    }
    take_next_file();
    write_out(lines);
    lines.clear();
  }
}

// Line by line as far as a pipe is concerned: nobody else's text gets in between.
void LineWriter::write_out(std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = lines.size() <= kWrittenAtOnce ? lines.size() : lines.rfind('\n', kWrittenAtOnce - 1) + 1;
    const std::string_view piece = lines.substr(0, end);
    if (!write_piece(piece)) lose(piece);
    lines.remove_prefix(end);
  }
}

bool LineWriter::write_piece(std::string_view piece) {
  bool within_line = false;
  while (last_attempts_ > 0) {
    take_next_file();
    const ssize_t written = write_when_ready(file_, torn_ ? "\n" : piece, kPatience);
    if (written < 0) {
      tell_failure(errno);
      break;
    }
    if (written == 0) {
      if (is_over()) --last_attempts_;
    } else if (!std::exchange(torn_, false)) {
      within_line = piece[static_cast<size_t>(written) - 1] != '\n';
      piece.remove_prefix(static_cast<size_t>(written));
    }
    if (piece.empty()) {
      tell_success();
      return true;
    }
  }
  torn_ = torn_ || within_line;
  return false;
}

void LineWriter::tell_failure(int error) {
  if (std::exchange(fails_, true)) return;
  lost_before_ = lost();
  tell("warning: cannot write the access log ({}); its lines are lost until that is possible again",
       std::strerror(error));
}

void LineWriter::tell_success() {
  if (!std::exchange(fails_, false)) return;
  tell("the access log is written again; {} lines were lost", lost() - lost_before_);
}

}  // namespace otseq2set::inline serving
