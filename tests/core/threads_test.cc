#include "otseq2set/core/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "otseq2set/core/random.h"

namespace otseq2set {
namespace {

class Threads : public ::testing::Test {
 protected:
  void TearDown() override { set_threads(before_); }

 private:
  int before_ = thread_count();
};

TEST_F(Threads, CountIsAsSet) {
  EXPECT_EQ(set_threads(3), 3);
  EXPECT_EQ(thread_count(), 3);
  EXPECT_GE(set_threads(0), 1);
}

TEST_F(Threads, ALimitIsTheCallingThreadsOwn) {
  set_threads(3);
  {
    const ThreadLimit limit(5);
    EXPECT_EQ(thread_count(), 5);
    std::thread([] { EXPECT_EQ(thread_count(), 3); }).join();
    {
      const ThreadLimit inner(2);
      EXPECT_EQ(thread_count(), 2);
      parallel_for(2, [](int64_t) { EXPECT_EQ(thread_count(), 1) << "a loop in a loop has one"; });
    }
    EXPECT_EQ(thread_count(), 5);
  }
  EXPECT_EQ(thread_count(), 3);
}

TEST_F(Threads, EveryIndexOnce) {
  for (int threads : {1, 2, 5}) {
    set_threads(threads);
    std::vector<std::atomic<int>> calls(1000);
    parallel_for(1000, [&](int64_t i) { ++calls[i]; });
    for (const auto& count : calls) ASSERT_EQ(count, 1);
  }
}

TEST_F(Threads, NothingToDo) {
  parallel_for(0, [](int64_t) { FAIL(); });
}

TEST_F(Threads, ResultDoesNotDependOnTheirNumber) {
  const auto run = [](int threads) {
    set_threads(threads);
    std::vector<double> sums(50);
    parallel_for(50, [&](int64_t i) {
      RandomStream random(1, "work", {static_cast<uint64_t>(i)});
      for (int k = 0; k < 1000; ++k) sums[i] += random.uniform();
    });
    return sums;
  };
  const std::vector<double> alone = run(1);
  EXPECT_EQ(run(2), alone);
  EXPECT_EQ(run(7), alone);
}

TEST_F(Threads, LowestFailureIsRethrownAfterAllHaveRun) {
  for (int threads : {1, 2, 4}) {
    set_threads(threads);
    std::atomic<int> calls{0};
    try {
      parallel_for(100, [&](int64_t i) {
        ++calls;
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
    EXPECT_EQ(calls, 100);
  }
}

TEST_F(Threads, Nested) {
  set_threads(2);
  std::atomic<int> calls{0};
  parallel_for(4, [&](int64_t) { parallel_for(5, [&](int64_t) { ++calls; }); });
  EXPECT_EQ(calls, 20);
}

TEST_F(Threads, TheFirstFailureEndsTheGroupsWithAnyNumberOfThreads) {
  const auto run = [](int64_t bad_body, int64_t bad_commit, std::vector<int64_t>& committed) -> std::string {
    const auto body = [&](int64_t i) {
      if (i == bad_body) throw std::runtime_error("body");
      return i;
    };
    const auto commit = [&](int64_t i, int64_t) {
      if (i == bad_commit) throw std::runtime_error("commit");
      committed.push_back(i);
    };
    try {
      parallel_for_in_groups(100, body, commit);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  for (const int threads : {1, 2, 5}) {
    set_threads(threads);
    std::vector<int64_t> committed;
    EXPECT_EQ(run(9, 3, committed), "commit");
    EXPECT_EQ(committed, (std::vector<int64_t>{0, 1, 2}));
    committed.clear();
    EXPECT_EQ(run(4, 9, committed), "body");
    EXPECT_EQ(committed, (std::vector<int64_t>{0, 1, 2, 3}));
  }
}

TEST_F(Threads, GroupsAreCommittedInOrder) {
  for (const int threads : {1, 2, 5}) {
    set_threads(threads);
    for (const int64_t count : {0, 1, 7, 100}) {
      std::vector<int64_t> committed;
      parallel_for_in_groups(
          count, [](int64_t i) { return i * i; },
          [&](int64_t i, int64_t result) {
            EXPECT_EQ(result, i * i);
            committed.push_back(i);
          });
      ASSERT_EQ(static_cast<int64_t>(committed.size()), count);
      EXPECT_TRUE(std::is_sorted(committed.begin(), committed.end()));
    }
  }
}

}  // namespace
}  // namespace otseq2set
