#include "otseq2set/report/gnuplot.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include "otseq2set/core/error.h"

namespace otseq2set::inline report {

namespace {

constexpr auto kLongest = std::chrono::seconds(30);  // a figure takes a tenth of one
constexpr auto kPause = std::chrono::milliseconds(2);

// A file without a name. Unlike pipes, files neither block nor send SIGPIPE, however the child behaves.
class NamelessFile {
 public:
  NamelessFile() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) fail("cannot create a temporary file: {}", std::strerror(errno));
    fcntl(descriptor(), F_SETFD, FD_CLOEXEC);
  }

  int descriptor() const { return fileno(file_.get()); }

  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
      fail("cannot write a temporary file: {}", std::strerror(errno));
    std::rewind(file_.get());
  }

  std::string read() {
    std::rewind(file_.get());
    std::string text;
    char buffer[4096];
    while (const size_t count = std::fread(buffer, 1, sizeof buffer, file_.get())) text.append(buffer, count);
    return text;
  }

 private:
  std::unique_ptr<FILE, int (*)(FILE*)> file_;
};

pid_t start(const std::string& program, const NamelessFile& in, const NamelessFile& out,
            const NamelessFile& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  std::string name = program, defaults = "--default-settings";
  char* arguments[] = {name.data(), defaults.data(), nullptr};
  pid_t child = -1;
  const int error = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) fail("{} is not installed (Debian: apt install gnuplot-nox)", program);
  if (error != 0) fail("cannot start {}: {}", program, std::strerror(error));
  return child;
}

// The child's status, as waitpid gives it.
int wait_for(pid_t child, const std::string& program) {
  const auto last = std::chrono::steady_clock::now() + kLongest;
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) fail("lost sight of {}: {}", program, std::strerror(errno));
    if (std::chrono::steady_clock::now() > last) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      fail("{} took longer than {} seconds", program, kLongest.count());
    }
    std::this_thread::sleep_for(kPause);
  }
}

std::string first_message(const std::string& text) {
  constexpr size_t kShown = 200;
  const size_t begin = text.find("line ");
  const std::string message = text.substr(begin == std::string::npos ? 0 : begin);
  return message.substr(0, std::min(message.find('\n'), kShown));
}

}  // namespace

std::string run_gnuplot(const std::string& program, const std::string& script) {
  NamelessFile in, out, err;
  in.write(script);
  const int status = wait_for(start(program, in, out, err), program);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) fail("cannot start {}", program);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail("{} failed: {}", program, first_message(err.read()));
  return out.read();
}

}  // namespace otseq2set::inline report
