#include "otseq2set/corpus/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "otseq2set/core/random.h"

namespace otseq2set {
namespace {

using Batches = std::vector<std::vector<uint32_t>>;

std::vector<uint32_t> random_lengths(size_t count) {
  RandomStream random(1, "batches_test");
  std::vector<uint32_t> lengths(count);
  // From 20 to 1000, many more short ones than long ones.
  for (uint32_t& length : lengths) length = static_cast<uint32_t>(20 * std::pow(50, random.uniform()));
  return lengths;
}

std::vector<uint32_t> flat(const Batches& batches) {
  std::vector<uint32_t> all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

TEST(Batches, EveryDocumentOnceAndBatchesFull) {
  for (const size_t count : {0, 1, 31, 32, 33, 2048, 2049, 5000}) {
    const auto lengths = random_lengths(count);
    const Batches batches = epoch_batches(lengths, 32, 1, 0);
    ASSERT_EQ(batches.size(), (count + 31) / 32);
    ASSERT_LE(std::count_if(batches.begin(), batches.end(), [](const auto& b) { return b.size() != 32; }), 1);
    auto all = flat(batches);
    std::sort(all.begin(), all.end());
    std::vector<uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    ASSERT_EQ(all, expected);
  }
}

TEST(Batches, LongestFirstInsideABatch) {
  const auto lengths = random_lengths(3000);
  for (const auto& batch : epoch_batches(lengths, 32, 1, 0)) {
    EXPECT_TRUE(
        std::is_sorted(batch.begin(), batch.end(), [&](uint32_t a, uint32_t b) { return lengths[a] > lengths[b]; }));
  }
}

TEST(Batches, LittlePadding) {
  const auto lengths = random_lengths(20000);
  uint64_t words = 0, places = 0;
  for (const auto& batch : epoch_batches(lengths, 32, 1, 0)) {
    for (const uint32_t document : batch) words += lengths[document];
    places += batch.size() * lengths[batch[0]];
  }
  EXPECT_LT(static_cast<double>(places - words), 0.05 * static_cast<double>(words));
}

TEST(Batches, LengthsOfBatchesAreInNoOrder) {
  const auto lengths = random_lengths(20000);
  const Batches batches = epoch_batches(lengths, 32, 1, 0);
  size_t falls = 0;
  for (size_t i = 1; i < batches.size(); ++i) falls += lengths[batches[i][0]] < lengths[batches[i - 1][0]];
  EXPECT_GT(falls, batches.size() * 2 / 5);
  EXPECT_LT(falls, batches.size() * 3 / 5);
}

TEST(Batches, DependOnSeedAndEpoch) {
  const auto lengths = random_lengths(1000);
  const Batches batches = epoch_batches(lengths, 32, 1, 3);
  EXPECT_EQ(batches, epoch_batches(lengths, 32, 1, 3));
  EXPECT_NE(batches, epoch_batches(lengths, 32, 1, 4));
  EXPECT_NE(batches, epoch_batches(lengths, 32, 2, 3));
}

}  // namespace
}  // namespace otseq2set
