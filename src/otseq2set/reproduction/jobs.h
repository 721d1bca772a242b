// Work that several programs share through a folder: each job is done once, by whoever claims it first.
//
// A job is done when its result file is there. It is looked for again after the claim was taken, because
// another program may have finished in between.
#pragma once

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "otseq2set/reproduction/claim.h"

namespace otseq2set::inline reproduction {

struct Job {
  std::string name;
  std::string folder;  // its own; made when it does not exist
  std::string result;  // file that says it is done
  // Returns what the result file shall hold; throws when it could not finish. `lost`: another program has
  // taken over; the work is then of no use.
  std::function<std::string(const std::atomic<bool>& lost)> work;

  bool done() const;
};

struct JobsOptions {
  ClaimTimes times;
  const std::atomic<bool>* stop = nullptr;  // when it turns true, no other job is begun
  std::function<void(const Job&)> begins, ended;
  std::function<void(const Job&, const std::exception&)> failed;
  std::function<void(size_t jobs)> waits;  // for jobs that other programs do; called once
};

// Does jobs one at a time, for who decides anew after each what comes next.
class JobRunner {
 public:
  explicit JobRunner(const JobsOptions& options) : options_(options) {}

  // The first of the jobs that is open and that no other program has, to its end. False when there is none.
  bool begin_one(const std::vector<Job>& jobs);

  bool open(const Job& job) const;  // neither done, by whomever, nor failed here
  bool stopped() const;
  size_t failed() const { return failed_.size(); }

 private:
  void work_on(const Job& job, const Claim& claim);

  const JobsOptions& options_;
  std::set<std::string> failed_;
};

// Returns when all jobs are done, by whomever, or `stop` is true. A job whose work throws is left alone.
// Returns how many were.
size_t run_jobs(const std::vector<Job>& jobs, const JobsOptions& options);

}  // namespace otseq2set::inline reproduction
