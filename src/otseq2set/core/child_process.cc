#include "otseq2set/core/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "otseq2set/core/error.h"

namespace otseq2set::inline core {

namespace {

constexpr int kCannotStart = 127;
constexpr std::chrono::milliseconds kFirstPause{1}, kLongestPause{50};

void redirect(int descriptor, int file) {
  if (file < 0 || dup2(file, descriptor) < 0) _exit(kCannotStart);
}

void redirect(int descriptor, const char* path) {
  redirect(descriptor, open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
}

// Between fork and exec only what is safe after a fork of a program with threads.
[[noreturn]] void become(const char* file, char* const* words, const ChildOptions& options, pid_t parent) {
  setpgid(0, 0);  // a signal to the whole group shall not reach it twice; it comes through the parent
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kCannotStart);  // it died before the line above
  if (!options.output.empty()) redirect(STDOUT_FILENO, options.output.c_str());
  if (options.quiet) redirect(STDERR_FILENO, "/dev/null");
  if (options.in != nullptr) redirect(STDIN_FILENO, options.in->descriptor());
  if (options.out != nullptr) redirect(STDOUT_FILENO, options.out->descriptor());
  if (options.err != nullptr) redirect(STDERR_FILENO, options.err->descriptor());
  execvp(file, words);
  _exit(kCannotStart);
}

}  // namespace

int run_child(const std::vector<std::string>& words, const ChildOptions& options) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const char* file = options.file.empty() ? pointers[0] : options.file.c_str();
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, nobody learns how a child ended
  const pid_t parent = getpid(), child = fork();
  if (child < 0) fail("cannot start {}: {}", words[0], std::strerror(errno));
  if (child == 0) become(file, pointers.data(), options, parent);
  int status = 0;
  bool asked = false;
  auto pause = kFirstPause;
  for (pid_t ended; (ended = waitpid(child, &status, WNOHANG)) != child;) {
    if (ended < 0) fail("cannot find out how {} ended: {}", words[0], std::strerror(errno));
    if (options.abort && options.abort()) kill(child, SIGKILL);
    if (!asked && options.stop && options.stop()) {
      kill(child, SIGTERM);
      asked = true;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == kCannotStart) fail("cannot start {}", words[0]);
  return code;
}

bool on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace otseq2set::inline core
