#include "otseq2set/reproduction/jobs.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/files.h"

namespace otseq2set::inline reproduction {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};

}  // namespace

bool Job::done() const {
  std::error_code ignored;
  return fs::exists(result, ignored);
}

bool JobRunner::begin_one(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    if (!open(job)) continue;
    create_folder(job.folder);
    const auto claim = Claim::take(job.folder, options_.times);
    if (!claim) continue;
    if (!job.done()) work_on(job, *claim);
    return true;
  }
  return false;
}

bool JobRunner::open(const Job& job) const { return !job.done() && failed_.count(job.name) == 0; }

bool JobRunner::stopped() const { return options_.stop != nullptr && *options_.stop; }

void JobRunner::work_on(const Job& job, const Claim& claim) {
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

size_t run_jobs(const std::vector<Job>& jobs, const JobsOptions& options) {
  JobRunner runner(options);
  bool waited = false;
  while (!runner.stopped()) {
    const auto open =
        static_cast<size_t>(std::count_if(jobs.begin(), jobs.end(), [&](const Job& job) { return runner.open(job); }));
    if (open == 0) break;
    if (runner.begin_one(jobs)) continue;
    if (!waited && options.waits) options.waits(open);
    waited = true;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return runner.failed();
}

}  // namespace otseq2set::inline reproduction
