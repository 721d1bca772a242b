// While this lives, BLAS uses no threads of its own.
//
// Training runs BLAS on one thread inside of its own threads, for which it has the OpenMP build of OpenBLAS. But numpy may
// have loaded the build with POSIX threads before, and the loader takes the same for both. That one has to be told.
#pragma once

#include <dlfcn.h>

namespace otseq2set::python {

class OneBlasThread {
 public:
  OneBlasThread() {
    void* const library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return;
    const auto find = [&](const char* name) { return dlsym(library, name); };
    const auto kind = reinterpret_cast<int (*)()>(find("openblas_get_parallel"));
    const auto threads = reinterpret_cast<int (*)()>(find("openblas_get_num_threads"));
    set_threads_ = reinterpret_cast<void (*)(int)>(find("openblas_set_num_threads"));
    constexpr int kPosixThreads = 1;
    if (kind != nullptr && kind() == kPosixThreads && threads != nullptr && set_threads_ != nullptr) {
      before_ = threads();
      set_threads_(1);
    }
    dlclose(library);  // others hold it
  }
  ~OneBlasThread() {
    if (before_ > 0) set_threads_(before_);
  }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  void (*set_threads_)(int) = nullptr;
  int before_ = 0;
};

}  // namespace otseq2set::python
