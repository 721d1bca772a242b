// The one thread pool (OpenMP), and loops whose result does not depend on how many threads it has.
//
// LibTorch and BLAS run on one thread inside these loops; outside of them training keeps them on one thread
// too (training/train.cc), because they split work by the number of threads, which changes bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

namespace otseq2set::inline core {

// Threads that the loops of the whole program may use from now on; 0 means all cores. Returns the number in force.
int set_threads(int count);

// Threads that loops of the calling thread may use while this lives, whatever the program's number: each caller of the
// library has its own. 0 means all cores.
class ThreadLimit {
 public:
  explicit ThreadLimit(int count);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_;
};

// Threads that a loop begun here would have: 1 inside of another.
int thread_count();

// Keeps the exception of the lowest failing index.
class FirstFailure {
 public:
  void keep(int64_t index, std::exception_ptr failure);
  bool any() const;
  void rethrow() const;

 private:
  int64_t index_ = INT64_MAX;
  std::exception_ptr failure_;
};

// Calls body(i) for i in 0 .. count - 1, each index whole on one thread, in no particular order. An exception
// of the lowest failing index is rethrown after all have ended.
template <typename Body>
void parallel_for(int64_t count, const Body& body) {
  FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(thread_count()) if (count > 1)
  for (int64_t i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
      failure.keep(i, std::current_exception());
    }
  }
  failure.rethrow();
}

// The same, and then commit(i, what body(i) returned) one index at a time in ascending order: for sums whose
// rounding must not depend on who finishes first. At most one result a thread waits at any time. After a
// failure nothing more is committed.
template <typename Body, typename Commit>
void parallel_for_ordered(int64_t count, const Body& body, const Commit& commit) {
  using Result = decltype(body(count));
  FirstFailure failure;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(thread_count()) if (count > 1)
  for (int64_t i = 0; i < count; ++i) {
    Result result;
    try {
      if (!failure.any()) result = body(i);
    } catch (...) {
      failure.keep(i, std::current_exception());
    }
#pragma omp ordered
    try {
      if (!failure.any()) commit(i, result);
    } catch (...) {
      failure.keep(i, std::current_exception());
    }
  }
  failure.rethrow();
}

// The same for bodies that take little time: one to four indexes a thread, and while one thread commits
// these, the others are at the next ones. Nobody waits for a turn, which costs more than such a body when
// other programs use the cores too. The first index that fails, in its body or its commit, ends the loop; all
// before it are committed.
template <typename Body, typename Commit>
void parallel_for_in_groups(int64_t count, const Body& body, const Commit& commit) {
  struct Done {
    decltype(body(count)) result;
    std::exception_ptr failure;
  };
  const int64_t threads = thread_count();
  const int64_t group = std::clamp(count / 4, threads, 4 * threads);
  std::vector<Done> done, next;
  for (int64_t begin = 0; begin < count || !done.empty();) {
    next = std::vector<Done>(static_cast<size_t>(std::min(group, count - begin)));
    parallel_for(static_cast<int64_t>(1 + next.size()), [&](int64_t task) {
      if (task > 0) {
        try {
          next[task - 1].result = body(begin + task - 1);
        } catch (...) {
          next[task - 1].failure = std::current_exception();
        }
        return;
      }
      auto index = begin - static_cast<int64_t>(done.size());
      for (const Done& one : done) {
        if (one.failure) std::rethrow_exception(one.failure);
        commit(index++, one.result);
      }
    });
    begin += static_cast<int64_t>(next.size());
    done.swap(next);
  }
}

}  // namespace otseq2set::inline core
