#include "otseq2set/cli/idle_threads.h"

#include <unistd.h>

#include <cstdlib>

namespace otseq2set::inline cli {

void let_idle_threads_sleep(char** argv) {
  constexpr const char* kSpins = "GOMP_SPINCOUNT";
  constexpr const char* kFewMicroseconds = "1000";
  if (std::getenv(kSpins) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (setenv(kSpins, kFewMicroseconds, /*overwrite=*/0) != 0) return;
  execv("/proc/self/exe", argv);
  // Without /proc it works all the same, with threads that spin.
}

}  // namespace otseq2set::inline cli
