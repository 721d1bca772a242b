// Runs a program and makes one of its system calls fail: the N-th of those on files below a folder, for memory, or on
// sockets. Seen from the kernel's side (ptrace, with a filter so that only calls of interest stop), so that no call of
// any library is missed and the program is the one that is shipped.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include "plan.h"
#include "recorder.h"
#include "tracee.h"

namespace torture {
namespace {

pid_t program = 0;  // for the handler of signals

bool is_below(const std::string& path, const std::string& root) {
  return path.compare(0, root.size(), root) == 0 && (path.size() == root.size() || path[root.size()] == '/');
}

// A call that goes on to its end, where something is still to be done.
struct Pending {
  const SystemCall* call;
  std::string path, other;
  std::optional<int64_t> result;  // to be returned whatever the call does
  bool kill = false, record = false;
};

class Injector {
 public:
  explicit Injector(const Plan& plan) : plan_(plan) {
    if (!plan.trace.empty()) trace_ = std::fopen(plan.trace.c_str(), "we");
    if (!plan.record.empty()) recorder_ = std::make_unique<Recorder>(plan.record);
  }
  ~Injector() {
    if (trace_ != nullptr) std::fclose(trace_);
  }
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  // Both return the request with which the thread goes on.
  __ptrace_request entered(pid_t thread);
  __ptrace_request left(pid_t thread);
  void gone(pid_t thread) { pending_.erase(thread); }

 private:
  bool counts(Family family) const {
    return std::find(plan_.families.begin(), plan_.families.end(), family) != plan_.families.end();
  }
  bool locate(const Tracee& tracee, const SystemCall& call, Pending& about);
  bool strikes(const SystemCall& call) const;
  void strike(Tracee& tracee, Pending& about);

  const Plan& plan_;
  std::FILE* trace_ = nullptr;
  std::unique_ptr<Recorder> recorder_;
  std::map<pid_t, Pending> pending_;
  long count_ = 0;
  bool begun_ = false;  // the program has touched its folder: until then its libraries are loaded
};

// Whether the call is counted, and which files it is about.
bool Injector::locate(const Tracee& tracee, const SystemCall& call, Pending& about) {
  const auto folder = [&](int i) { return static_cast<int>(tracee.argument(i)); };
  switch (call.names) {
    case Names::kDescriptor: about.path = tracee.path_of(folder(0)); break;
    case Names::kPath: about.path = tracee.path_at(AT_FDCWD, tracee.argument(0)); break;
    case Names::kPathAt: about.path = tracee.path_at(folder(0), tracee.argument(1)); break;
    case Names::kTwoPaths:
      about.path = tracee.path_at(AT_FDCWD, tracee.argument(0));
      about.other = tracee.path_at(AT_FDCWD, tracee.argument(1));
      break;
    case Names::kTwoPathsAt:
      about.path = tracee.path_at(folder(0), tracee.argument(1));
      about.other = tracee.path_at(folder(2), tracee.argument(3));
      break;
    case Names::kMapped:
      if ((tracee.argument(3) & MAP_ANONYMOUS) == 0) about.path = tracee.path_of(folder(4));
      break;
    case Names::kNothing: break;
  }
  const bool ours = is_below(about.path, plan_.root) || is_below(about.other, plan_.root);
  begun_ = begun_ || ours;
  if (ours) return counts(Family::kFile);
  if (call.family == Family::kNet) return begun_ && counts(Family::kNet);
  if (call.family == Family::kFile) return false;
  const bool asks = call.number != SYS_brk || tracee.argument(0) != 0;
  return begun_ && asks && about.path.empty() && counts(Family::kMemory);
}

bool Injector::strikes(const SystemCall& call) const {
  if (plan_.at == 0 || plan_.deed == Deed::kCount || count_ < plan_.at) return false;
  if (count_ == plan_.at) return true;
  if (!plan_.from_then_on || call.number == SYS_close) return false;
  return plan_.error != ENOSPC || call.takes_space;
}

void Injector::strike(Tracee& tracee, Pending& about) {
  const bool sized = tracee.argument(2) > 1 && (about.call->name == "read" || about.call->name == "write" ||
                                                about.call->name == "pread" || about.call->name == "pwrite");
  if (plan_.deed == Deed::kKill || (plan_.deed == Deed::kTear && !sized)) {
    kill(program, SIGKILL);
  } else if (plan_.deed == Deed::kFail && about.call->number == SYS_brk) {
    tracee.set_argument(0, 0);  // it has no error: it returns where memory ends now
    tracee.write_registers();
  } else if (plan_.deed == Deed::kFail && about.call->number == SYS_close) {
    about.result = -plan_.error;  // it closes all the same
  } else if (plan_.deed == Deed::kFail) {
    tracee.skip_call(-plan_.error);
  } else if (sized) {
    tracee.set_argument(2, tracee.argument(2) / 2);
    tracee.write_registers();
    about.kill = plan_.deed == Deed::kTear;
  }
}

__ptrace_request Injector::entered(pid_t thread) {
  Tracee tracee(thread);
  tracee.read_registers();
  Pending about{find_system_call(tracee.number()), {}, {}, {}};
  if (about.call == nullptr || !locate(tracee, *about.call, about)) return PTRACE_CONT;
  ++count_;
  const bool strikes_now = strikes(*about.call);
  if (trace_ != nullptr) {
    std::fprintf(trace_, "%ld\t%s\t%s\t%s\n", count_, std::string(about.call->name).c_str(), about.path.c_str(),
                 strikes_now ? "struck" : "");
    std::fflush(trace_);
  }
  if (strikes_now) strike(tracee, about);
  about.record = recorder_ != nullptr && counts(Family::kFile) && !about.path.empty();
  if (about.record) recorder_->before(about.path);
  if (!about.record && !about.result && !about.kill) return PTRACE_CONT;
  pending_[thread] = about;
  return PTRACE_SYSCALL;
}

__ptrace_request Injector::left(pid_t thread) {
  const auto found = pending_.find(thread);
  if (found == pending_.end()) return PTRACE_CONT;
  const Pending about = found->second;
  pending_.erase(found);
  Tracee tracee(thread);
  tracee.read_registers();
  if (about.kill) kill(program, SIGKILL);
  if (about.record && tracee.result() >= 0) recorder_->after(tracee, *about.call, about.path, about.other);
  if (about.result) {
    tracee.set_result(*about.result);
    tracee.write_registers();
  }
  return PTRACE_CONT;
}

// Only these calls stop the program.
void install_filter() {
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const SystemCall& call : system_calls()) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call.number), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog code{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code) != 0) {
    std::perror("fault_injector: cannot watch system calls");
    _exit(2);
  }
}

[[noreturn]] void become(const Plan& plan) {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
    std::perror("fault_injector: cannot trace");
    _exit(2);
  }
  raise(SIGSTOP);
  install_filter();
  execvp(plan.command[0], plan.command.data());
  std::perror(plan.command[0]);
  _exit(127);
}

// Returns the exit code of the program.
int watch(Injector& injector) {
  int status = 0, code = 2;
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) continue;
    if (thread < 0) return code;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      injector.gone(thread);
      if (thread == program) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    const int signal = WSTOPSIG(status), event = status >> 16;
    __ptrace_request next = PTRACE_CONT;
    int deliver = 0;
    if (event == PTRACE_EVENT_SECCOMP) {
      next = injector.entered(thread);
    } else if (signal == (SIGTRAP | 0x80)) {
      next = injector.left(thread);
    } else if (event == 0 && signal != SIGSTOP) {
      deliver = signal;
    }
    ptrace(next, thread, nullptr, deliver);
  }
}

int run(const Plan& plan) {
  program = fork();
  if (program == 0) become(plan);
  waitpid(program, nullptr, 0);
  ptrace(PTRACE_SETOPTIONS, program, nullptr,
         PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
             PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, [](int number) { kill(program, number); });
  ptrace(PTRACE_CONT, program, nullptr, nullptr);
  Injector injector(plan);
  return watch(injector);
}

}  // namespace
}  // namespace torture

int main(int argc, char** argv) { return torture::run(torture::parse_plan(argc, argv)); }
