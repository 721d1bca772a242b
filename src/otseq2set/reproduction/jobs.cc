#include "otseq2set/reproduction/jobs.h"

#include <filesystem>
#include <set>
#include <thread>

#include "otseq2set/core/files.h"

namespace otseq2set::inline reproduction {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};

class JobRunner {
 public:
  JobRunner(const std::vector<Job>& jobs, const JobsOptions& options) : jobs_(jobs), options_(options) {}

  size_t run() {
    bool waited = false;
    while (!stopped()) {
      const size_t open = open_jobs();
      if (open == 0) break;
      if (begin_one()) continue;
      if (!waited && options_.waits) options_.waits(open);
      waited = true;
      std::this_thread::sleep_for(kBetweenLooks);
    }
    return failed_.size();
  }

 private:
  bool stopped() const { return options_.stop != nullptr && *options_.stop; }
  bool open(const Job& job) const { return !job.done() && failed_.count(job.name) == 0; }

  size_t open_jobs() const {
    size_t count = 0;
    for (const Job& job : jobs_) count += open(job);
    return count;
  }

  // False when all open jobs are in other hands.
  bool begin_one() {
    for (const Job& job : jobs_) {
      if (!open(job)) continue;
      std::error_code error;
      fs::create_directories(job.folder, error);
      if (error) fail("cannot make folder {}: {}", job.folder, error.message());
      const auto claim = Claim::take(job.folder, options_.times);
      if (!claim) continue;
      if (!job.done()) work_on(job, *claim);
      return true;
    }
    return false;
  }

  void work_on(const Job& job, const Claim& claim) {
    if (options_.begins) options_.begins(job);
    try {
      const std::string result = job.work(claim.lost());
      if (claim.lost()) return;
      write_file(job.result, result);
    } catch (const std::exception& error) {
      if (claim.lost() || stopped()) return;
      failed_.insert(job.name);
      if (options_.failed) options_.failed(job, error);
      return;
    }
    if (options_.ended) options_.ended(job);
  }

  const std::vector<Job>& jobs_;
  const JobsOptions& options_;
  std::set<std::string> failed_;
};

}  // namespace

bool Job::done() const {
  std::error_code ignored;
  return fs::exists(result, ignored);
}

size_t run_jobs(const std::vector<Job>& jobs, const JobsOptions& options) { return JobRunner(jobs, options).run(); }

}  // namespace otseq2set::inline reproduction
