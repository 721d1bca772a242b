#include "otseq2set/reproduction/jobs.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <mutex>

#include "otseq2set/core/files.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

class JobsTest : public ::testing::Test {
 protected:
  std::vector<Job> jobs(int count) {
    std::vector<Job> jobs;
    for (int i = 0; i < count; ++i) {
      const std::string name = "job" + std::to_string(i);
      jobs.push_back(
          {name, folder_.path(name), folder_.path(name) + "/result.json", [this, name](const std::atomic<bool>&) {
             std::this_thread::sleep_for(std::chrono::milliseconds(2));
             const std::lock_guard<std::mutex> lock(mutex_);
             worked_.push_back(name);
             return "done by " + name;
           }});
    }
    return jobs;
  }

  TempFolder folder_;
  std::mutex mutex_;
  std::vector<std::string> worked_;
};

TEST_F(JobsTest, EachIsDoneOnceInOrder) {
  const auto all = jobs(4);
  EXPECT_EQ(run_jobs(all, {}), 0u);
  EXPECT_EQ(worked_, (std::vector<std::string>{"job0", "job1", "job2", "job3"}));
  EXPECT_EQ(read_file(all[2].result), "done by job2");
  EXPECT_EQ(run_jobs(all, {}), 0u);
  EXPECT_EQ(worked_.size(), 4u) << "what is done is not done again";
}

TEST_F(JobsTest, SeveralShareThem) {
  const auto all = jobs(30);
  std::vector<std::thread> programs;
  for (int i = 0; i < 4; ++i) programs.emplace_back([&] { EXPECT_EQ(run_jobs(all, {}), 0u); });
  for (std::thread& program : programs) program.join();
  std::sort(worked_.begin(), worked_.end());
  EXPECT_EQ(worked_.size(), 30u);
  EXPECT_EQ(std::unique(worked_.begin(), worked_.end()), worked_.end()) << "one was done twice";
}

TEST_F(JobsTest, AFailureLeavesTheOthers) {
  auto all = jobs(3);
  all[1].work = [](const std::atomic<bool>&) -> std::string { throw std::runtime_error("no luck"); };
  std::string message;
  JobsOptions options;
  options.failed = [&](const Job& job, const std::exception& error) { message = job.name + " " + error.what(); };
  EXPECT_EQ(run_jobs(all, options), 1u);
  EXPECT_EQ(message, "job1 no luck");
  EXPECT_EQ(worked_, (std::vector<std::string>{"job0", "job2"}));
  EXPECT_FALSE(all[1].done());
}

TEST_F(JobsTest, StopsBetweenJobs) {
  for (const bool cut_short : {false, true}) {
    auto all = jobs(3);
    std::remove(all[1].result.c_str());
    std::atomic<bool> stop{false};
    all[1].work = [&](const std::atomic<bool>&) {
      stop = true;
      if (cut_short) throw std::runtime_error("interrupted");
      return std::string("whole");
    };
    JobsOptions options;
    options.stop = &stop;
    EXPECT_EQ(run_jobs(all, options), 0u);
    EXPECT_EQ(all[1].done(), !cut_short);  // what was done is not lost
    EXPECT_EQ(worked_, std::vector<std::string>{"job0"});
  }
}

TEST_F(JobsTest, WorkThatWasTakenOverDoesNotCount) {
  auto all = jobs(1);
  JobsOptions options;
  options.times.touch_every = std::chrono::milliseconds(5);
  std::atomic<bool> stop{false};
  options.stop = &stop;
  all[0].work = [&](const std::atomic<bool>& lost) {
    folder_.write("job0/claim.2", R"({"machine":"elsewhere","pid":1,"started":"5"})");
    while (!lost) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::string("too late");
  };
  options.waits = [&](size_t) { stop = true; };
  run_jobs(all, options);
  EXPECT_FALSE(all[0].done());
}

}  // namespace
}  // namespace otseq2set::testing
