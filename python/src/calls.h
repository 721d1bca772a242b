// Work of the library, without the interpreter's lock: other threads of Python go on meanwhile.
//
// A process that was forked from one that has computed already lacks the threads that OpenMP made there, and would wait
// for them forever. A thread that is new has new ones; so there, work is done on one.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <thread>

namespace otseq2set::python {

// True in a process that was forked since notice_forks was called, or that was one already.
bool is_forked();
void notice_forks(bool already = false);

template <typename Work>
void without_lock(const Work& work) {
  const pybind11::gil_scoped_release release;
  if (!is_forked()) return work();
  std::exception_ptr failure;
  std::thread([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace otseq2set::python
