#include "otseq2set/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace otseq2set {
namespace {

// Computed from the definition by another program: the streams may not change, models depend on them.
TEST(Random, StreamsArePinned) {
  RandomStream shuffle(1, "shuffle", {3});
  EXPECT_EQ(shuffle.next(), 0xfed7f6a93ca73e24ULL);
  EXPECT_EQ(shuffle.next(), 0x990e2b22e80370acULL);
  EXPECT_EQ(shuffle.next(), 0x2718b443551cab4dULL);
  RandomStream plain(0, "");
  EXPECT_EQ(plain.next(), 0x4eeaf9193c07278dULL);
  EXPECT_EQ(plain.next(), 0x92365261c2237db3ULL);
}

TEST(Random, SeedNameAndPositionEachMatter) {
  std::set<uint64_t> first;
  int streams = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (const char* name : {"", "init", "dropout", "shuffle"}) {
      first.insert(RandomStream(seed, name).next());
      ++streams;
      for (uint64_t i = 0; i < 10; ++i) {
        first.insert(RandomStream(seed, name, {i}).next());
        first.insert(RandomStream(seed, name, {i, 0}).next());
        first.insert(RandomStream(seed, name, {0, 1, i}).next());
        streams += 3;
      }
    }
  }
  EXPECT_EQ(first.size(), static_cast<size_t>(streams));
}

TEST(Random, UniformCoversItsRange) {
  RandomStream random(5, "uniform");
  const int count = 100000;
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    squares += value * value;
  }
  // Standard errors of mean and mean square: 0.29 and 0.30 over sqrt(count), about 0.001.
  EXPECT_NEAR(sum / count, 1.0 / 2, 0.005);
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.005);
  for (int i = 0; i < 1000; ++i) {
    const double value = random.uniform(-0.1, 0.1);
    ASSERT_GE(value, -0.1);
    ASSERT_LT(value, 0.1);
  }
}

TEST(Random, NeighbouringStreamsAreNotCorrelated) {
  const int count = 20000;
  double products = 0;
  for (int i = 0; i < count; ++i) {
    RandomStream one(1, "init", {static_cast<uint64_t>(i)}), next(1, "init", {static_cast<uint64_t>(i) + 1});
    products += (one.uniform() - 0.5) * (next.uniform() - 0.5);
  }
  EXPECT_NEAR(products / count, 0.0, 5.0 / 12.0 / std::sqrt(count));  // five standard errors
}

TEST(Random, BelowIsUniform) {
  RandomStream random(6, "below");
  std::map<uint64_t, int> counts;
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  ASSERT_EQ(counts.size(), 7u);
  ASSERT_EQ(counts.rbegin()->first, 6u);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 10000, 500) << value;  // five standard errors
}

TEST(Random, BelowAtItsLimits) {
  RandomStream random(7, "limits");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(random.below(1), 0u);
    EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
    EXPECT_LT(random.below((1ULL << 63) + 1), (1ULL << 63) + 1);
  }
}

TEST(Random, ShuffleGivesEveryOrder) {
  RandomStream random(8, "shuffle");
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> values = {1, 2, 3};
    random.shuffle(values);
    ++orders[values];
  }
  ASSERT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 150);  // five standard errors
}

TEST(Random, ShuffleKeepsTheValues) {
  std::vector<int> values(1000), sorted(1000);
  std::iota(sorted.begin(), sorted.end(), 0);
  values = sorted;
  RandomStream(9, "shuffle").shuffle(values);
  EXPECT_NE(values, sorted);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, sorted);
  std::vector<int> none;
  RandomStream(9, "shuffle").shuffle(none);
  EXPECT_TRUE(none.empty());
}

TEST(Random, HashIsFnv1a) {  // the published test vectors
  EXPECT_EQ(hash_bytes(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash_bytes("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash_bytes("foobar"), 0x85944171f73967e8ULL);
  EXPECT_EQ(hash_bytes("bar", hash_bytes("foo")), hash_bytes("foobar"));
}

}  // namespace
}  // namespace otseq2set
