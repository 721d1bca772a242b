// Loaded before a program (LD_PRELOAD), makes one of its allocations fail: the N-th since main began, and those after it
// if it is to go on. What libraries allocate while they are loaded does not count.
//
//   TORTURE_ALLOCATION=N   TORTURE_GO_ON=1   TORTURE_ALLOCATIONS=FILE, which gets the number of allocations at the end
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

std::atomic<bool> begun{false};
std::atomic<long> count{0};
long failing = 0;
bool goes_on = false;

bool fails() {
  if (!begun.load(std::memory_order_relaxed)) return false;
  const long number = ++count;
  return failing > 0 && (goes_on ? number >= failing : number == failing);
}

template <typename Allocate>
void* allocate(const Allocate& really) {
  if (!fails()) return really();
  errno = ENOMEM;
  return nullptr;
}

long number_in(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : 0;
}

// Not through the C library's streams, which allocate.
void tell_count() {
  const char* file = std::getenv("TORTURE_ALLOCATIONS");
  if (file == nullptr) return;
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  char text[24];
  const int length = std::snprintf(text, sizeof text, "%ld\n", count.load());
  if (descriptor < 0 || write(descriptor, text, static_cast<size_t>(length)) != length) std::abort();
  close(descriptor);
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  failing = number_in("TORTURE_ALLOCATION");
  goes_on = number_in("TORTURE_GO_ON") != 0;
  begun = true;
  const int code = real_main(argc, argv, environment);
  begun = false;
  tell_count();
  return code;
}

}  // namespace

extern "C" {

void* malloc(size_t size) {
  return allocate([&] { return __libc_malloc(size); });
}

void* calloc(size_t number, size_t size) {
  return allocate([&] { return __libc_calloc(number, size); });
}

void* realloc(void* old, size_t size) {
  return allocate([&] { return __libc_realloc(old, size); });
}

void* memalign(size_t alignment, size_t size) {
  return allocate([&] { return __libc_memalign(alignment, size); });
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** result, size_t alignment, size_t size) {
  void* found = memalign(alignment, size);
  if (found == nullptr) return ENOMEM;
  *result = found;
  return 0;
}

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto* start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  real_main = main;
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
}
