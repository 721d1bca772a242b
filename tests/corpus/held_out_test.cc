#include "otseq2set/corpus/held_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace otseq2set {
namespace {

// What becomes of n documents that come in chunks.
std::vector<bool> choose_all(double fraction, uint64_t seed, size_t n, size_t chunk) {
  HeldOut held_out(fraction, seed);
  std::vector<bool> all;
  for (size_t begin = 0; begin < n; begin += chunk) {
    const std::vector<bool> chosen = held_out.choose(std::min(chunk, n - begin));
    all.insert(all.end(), chosen.begin(), chosen.end());
  }
  return all;
}

TEST(HeldOut, NumberIsTheRoundedFractionButOneAtLeastAndNeverAll) {
  for (const double fraction : {0.0, 0.001, 0.1, 0.25, 0.5, 0.9, 1.0}) {
    for (const size_t n : {1, 2, 3, 7, 8, 9, 16, 17, 100, 333}) {
      const auto chosen = choose_all(fraction, 1, n, 8);
      const double rounded = std::round(fraction * static_cast<double>(n));
      const auto wanted = fraction == 0 || n == 1 ? 0.0 : std::clamp(rounded, 1.0, static_cast<double>(n - 1));
      EXPECT_EQ(std::count(chosen.begin(), chosen.end(), true), wanted) << fraction << " of " << n;
    }
  }
}

TEST(HeldOut, EveryDocumentHasTheSameChance) {
  std::vector<int> times(40, 0);
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const auto chosen = choose_all(0.25, seed, 40, 16);
    for (size_t i = 0; i < 40; ++i) times[i] += chosen[i];
  }
  for (const int count : times) EXPECT_NEAR(count, 1000, 150);  // 5.5 standard deviations of 27
}

TEST(HeldOut, DependsOnTheSeed) {
  EXPECT_EQ(choose_all(0.3, 5, 100, 32), choose_all(0.3, 5, 100, 32));
  EXPECT_NE(choose_all(0.3, 5, 100, 32), choose_all(0.3, 6, 100, 32));
}

}  // namespace
}  // namespace otseq2set
