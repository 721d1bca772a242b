#include "otseq2set/search/clock.h"

#include <gtest/gtest.h>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

using std::chrono::milliseconds;

constexpr ClockTimes kQuick{milliseconds(10), milliseconds(2000)};

void pause(int time) { std::this_thread::sleep_for(milliseconds(time)); }

TEST(SearchClock, CountsOnlyWhileSomebodyWorks) {
  const TempFolder folder;
  double worked = 0;
  {
    const SearchClock clock(folder.path(""), kQuick);
    EXPECT_LT(clock.seconds(), 1);
    pause(200);
    worked = clock.seconds();
    EXPECT_GE(worked, 0.2);
  }
  pause(400);
  // A gap that is longer than it takes to notice: nobody was there.
  const SearchClock again(folder.path(""), {milliseconds(10), milliseconds(100)});
  EXPECT_GE(again.seconds(), worked - 0.1);
  EXPECT_LT(again.seconds(), worked + 0.35);
}

TEST(SearchClock, TwoProgramsCountTheSameTime) {
  const TempFolder folder;
  const SearchClock one(folder.path(""), kQuick), other(folder.path(""), kQuick);
  pause(300);
  EXPECT_NEAR(one.seconds(), other.seconds(), 0.2);
  EXPECT_GE(one.seconds(), 0.25);
}

TEST(SearchClock, AFileThatIsNoneIsAnError) {
  const TempFolder folder;
  folder.write("clock.json", "{\"seconds\": \"many\"}\n");
  EXPECT_THROW(SearchClock(folder.path(""), kQuick), Error);
}

}  // namespace
}  // namespace otseq2set::testing
