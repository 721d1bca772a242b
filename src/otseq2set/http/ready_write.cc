#include "otseq2set/http/ready_write.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

namespace otseq2set::inline http {

namespace {

bool is_ready(int file, std::chrono::milliseconds patience) {
  pollfd state = {file, POLLOUT, 0};
  return poll(&state, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace

ssize_t write_when_ready(int file, std::string_view bytes, std::chrono::milliseconds patience) {
  static std::mutex mutex;  // standard output and standard error may be one pipe: nobody takes the room of another
  if (!is_ready(file, patience)) return 0;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!is_ready(file, std::chrono::milliseconds(0))) return 0;
  const ssize_t written = ::write(file, bytes.data(), bytes.size());
  return written < 0 && (errno == EINTR || errno == EAGAIN) ? 0 : written;
}

}  // namespace otseq2set::inline http
