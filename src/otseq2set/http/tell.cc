#include "otseq2set/http/tell.h"

#include <unistd.h>

#include "otseq2set/http/ready_write.h"

namespace otseq2set::inline http {

namespace {

constexpr std::chrono::milliseconds kPatience{100};

}  // namespace

void tell_line(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = write_when_ready(STDERR_FILENO, line.substr(0, kWrittenAtOnce), kPatience);
    if (written <= 0) return;
    line.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace otseq2set::inline http
