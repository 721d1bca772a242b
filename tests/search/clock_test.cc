#include "otseq2set/search/clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

using std::chrono::milliseconds;

constexpr ClockTimes kQuick{milliseconds(10), milliseconds(2000)};

void pause(int time) { std::this_thread::sleep_for(milliseconds(time)); }

// A search that was left at 100 seconds, so long ago.
double seconds_after(std::chrono::seconds time) {
  const TempFolder folder;
  folder.write("clock.json", "{\"seconds\": 100, \"at\": " + std::to_string(std::time(nullptr) - time.count()) + "}\n");
  return SearchClock(folder.path("")).seconds();
}

constexpr double kSlow = 15;  // seconds that a busy machine may take for next to nothing

TEST(SearchClock, CountsOnlyWhileSomebodyWorks) {
  const double left_for_an_hour = seconds_after(std::chrono::hours(1));
  EXPECT_GE(left_for_an_hour, 100);
  EXPECT_LT(left_for_an_hour, 100 + kSlow);
  const double seen_a_moment_ago = seconds_after(std::chrono::seconds(4));
  EXPECT_GE(seen_a_moment_ago, 103.9);  // stamps of files may lag by a tick of 10 ms
  EXPECT_LT(seen_a_moment_ago, 104 + kSlow);
}

TEST(SearchClock, GoesOnByItself) {
  const TempFolder folder;
  const SearchClock clock(folder.path(""), kQuick);
  const double start = clock.seconds();
  pause(200);
  EXPECT_GE(clock.seconds() - start, 0.18);  // files are stamped by ticks of up to 10 ms
}

TEST(SearchClock, TwoProgramsCountTheSameTime) {
  const TempFolder folder;
  const SearchClock one(folder.path(""), kQuick), other(folder.path(""), kQuick);
  pause(300);
  EXPECT_GE(other.seconds(), 0.28);
  EXPECT_LT(std::abs(one.seconds() - other.seconds()), kSlow);
  EXPECT_LT(one.seconds(), 0.3 + kSlow) << "and not twice";
}

TEST(SearchClock, AFileThatIsNoneIsAnError) {
  const TempFolder folder;
  folder.write("clock.json", "{\"seconds\": \"many\", \"at\": 5}\n");
  EXPECT_THROW(SearchClock(folder.path(""), kQuick), Error);
}

}  // namespace
}  // namespace otseq2set::testing
