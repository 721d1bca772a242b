// How long has a search been at work? A killed search that goes on the next day has the hours left that it had.
//
// Time counts while any program works on the search. `clock.json` in its folder holds the seconds up to a moment; every program
// that is at work brings it up to date every few seconds, by the clock of the file system, on which several machines
// agree. A longer gap between two such moments is time in which nobody worked.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace otseq2set::inline search {

struct ClockTimes {
  std::chrono::milliseconds tick_every{3000};
  std::chrono::milliseconds longest_gap{20000};
};

class SearchClock {
 public:
  explicit SearchClock(std::string folder, const ClockTimes& times = {});  // the folder exists
  ~SearchClock();
  SearchClock(const SearchClock&) = delete;
  SearchClock& operator=(const SearchClock&) = delete;

  double seconds() const;

 private:
  using Steady = std::chrono::steady_clock;

  void keep();
  void tick();

  std::string folder_;
  ClockTimes times_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  double seconds_ = 0;         // at the last tick,
  Steady::time_point ticked_;  // which was then
  std::thread keeper_;
};

}  // namespace otseq2set::inline search
