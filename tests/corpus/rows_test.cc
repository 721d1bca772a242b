#include "otseq2set/corpus/rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "otseq2set/core/random.h"

namespace otseq2set {
namespace {

using Numbers = std::vector<int32_t>;

Numbers copy(Span<const int32_t> row) { return Numbers(row.begin(), row.end()); }

// Longer than a piece together, and one of them longer than a piece alone.
std::vector<Numbers> many_rows() {
  std::vector<Numbers> rows;
  RandomStream random(1, "rows_test");
  for (int i = 0; i < 40; ++i) {
    Numbers row(i == 7 ? (1 << 20) + 5 : random.below(100'000));
    for (int32_t& value : row) value = static_cast<int32_t>(random.next());
    rows.push_back(row);
  }
  rows.emplace_back();
  return rows;
}

TEST(Rows, GiveBackWhatWasAddedAcrossPieces) {
  const std::vector<Numbers> expected = many_rows();
  Rows rows;
  for (const Numbers& row : expected) rows.add(row);
  ASSERT_EQ(rows.size(), expected.size());
  const Rows copied = rows;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(copy(rows[i]), expected[i]) << i;
    ASSERT_EQ(copy(copied[i]), expected[i]) << i;
  }
}

TEST(Rows, DoNotMove) {
  Rows rows;
  rows.add(Numbers{1, 2, 3});
  const int32_t* first = rows[0].data();
  for (const Numbers& row : many_rows()) rows.add(row);
  EXPECT_EQ(rows[0].data(), first);
}

TEST(Rows, ReplaceSeesEveryValueOnceInOrder) {
  Rows rows;
  Numbers flat, seen;
  for (const Numbers& row : many_rows()) {
    rows.add(row);
    flat.insert(flat.end(), row.begin(), row.end());
  }
  rows.replace([&](int32_t value) {
    seen.push_back(value);
    return value ^ 1;
  });
  EXPECT_TRUE(seen == flat);
  EXPECT_EQ(rows[0][0], flat[0] ^ 1);
}

// The hash does not tell how the values lie in pieces: it is that of one array of ends and one of values.
TEST(Rows, HashIsThatOfFlatArrays) {
  Rows rows;
  std::vector<uint64_t> ends = {0};
  Numbers flat;
  for (const Numbers& row : many_rows()) {
    rows.add(row);
    flat.insert(flat.end(), row.begin(), row.end());
    ends.push_back(flat.size());
  }
  const uint64_t hash = hash_bytes({reinterpret_cast<const char*>(ends.data()), ends.size() * sizeof ends[0]}, 5);
  EXPECT_EQ(rows.hash(5), hash_bytes({reinterpret_cast<const char*>(flat.data()), flat.size() * 4}, hash));
}

}  // namespace
}  // namespace otseq2set
