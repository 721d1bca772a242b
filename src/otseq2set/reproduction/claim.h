// Who does a run? Programs on one or several machines that share a folder take runs by claims, without
// talking to each other.
//
// A claim is a file, `claim.1`, that only one program can create. Its owner touches it every few seconds.
// When the owner has died (a process of this machine that is gone; on another machine, when the file has not
// been touched for a minute by the clock of the file system) the next program creates `claim.2`, which again
// only one can; the claim with the highest number counts. An owner that was only asleep sees that a higher
// number exists, or that its file is gone or another's, and has lost.
//
// Example: A holds claim.1 and its machine stops. B and C both find claim.1 untouched for a minute and try to
// create claim.2; B succeeds. A wakes up, finds claim.2 at its next touch, and ends its work.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace otseq2set::inline reproduction {

struct ClaimTimes {
  std::chrono::milliseconds touch_every{5000};
  std::chrono::milliseconds dead_after{60000};
};

class Claim {
 public:
  // Of an existing folder; none when a living program holds it.
  static std::unique_ptr<Claim> take(const std::string& folder, const ClaimTimes& times = {});

  // Is it held by a living program?
  static bool held(const std::string& folder, const ClaimTimes& times = {});

  ~Claim();  // gives it back, unless it was lost
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // Another program has taken over.
  const std::atomic<bool>& lost() const { return lost_; }

 private:
  Claim(std::string folder, int number, const ClaimTimes& times);
  void keep();

  std::optional<bool> still_own() const;  // nothing: a shared folder may fail for a moment

  std::string folder_, mark_;
  int number_;
  ClaimTimes times_;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread keeper_;
};

}  // namespace otseq2set::inline reproduction
