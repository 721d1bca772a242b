#include "calls.h"

#include <pthread.h>

#include <atomic>

namespace otseq2set::python {

namespace {
std::atomic<bool> forked{false};
}  // namespace

bool is_forked() { return forked; }

void notice_forks(bool already) {
  forked = already;
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
}

}  // namespace otseq2set::python
