// Work that may take long must not hold up what does not.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace otseq2set::inline http {

// Of the calling thread, and of those that it starts. Where there is too little time for all, it gets about a tenth of
// what others get: a step of nice is a quarter, ten of them are nine times.
inline void lower_priority() {
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace otseq2set::inline http
