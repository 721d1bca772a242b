#include "otseq2set/loss/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "otseq2set/core/random.h"

namespace otseq2set {
namespace {

using Matrix = std::vector<double>;  // [rows, cols]

// The best sum over all ways to give the rows from `row` on a free column or none; every row needs one if
// rows <= cols, and all columns are used otherwise.
double brute_force(const Matrix& score, int rows, int cols, int row, unsigned taken, int pairs) {
  const int needed = std::min(rows, cols) - pairs;
  if (needed == 0) return 0.0;
  if (rows - row < needed) return -INFINITY;
  double best = brute_force(score, rows, cols, row + 1, taken, pairs);
  for (int col = 0; col < cols; ++col) {
    if (taken >> col & 1u) continue;
    const double rest = brute_force(score, rows, cols, row + 1, taken | 1u << col, pairs + 1);
    best = std::max(best, score[row * cols + col] + rest);
  }
  return best;
}

// The sum of an assignment, after checking that it is one with min(rows, cols) pairs.
double checked_total(const Matrix& score, int rows, int cols, const std::vector<int>& assigned) {
  EXPECT_EQ(assigned.size(), static_cast<size_t>(rows));
  std::set<int> used;
  double total = 0;
  for (int row = 0; row < rows; ++row) {
    if (assigned[row] == -1) continue;
    EXPECT_GE(assigned[row], 0);
    EXPECT_LT(assigned[row], cols);
    EXPECT_TRUE(used.insert(assigned[row]).second) << "column " << assigned[row] << " twice";
    total += score[row * cols + assigned[row]];
  }
  EXPECT_EQ(used.size(), static_cast<size_t>(std::min(rows, cols)));
  return total;
}

Matrix random_matrix(RandomStream& random, int rows, int cols, int levels) {
  Matrix score(static_cast<size_t>(rows) * cols);
  for (double& value : score) {
    value = levels > 0 ? static_cast<double>(random.below(levels)) : random.uniform(-1.0, 1.0);
  }
  return score;
}

void compare_with_brute_force(int levels, int largest) {
  RandomStream random(7, "assignment test", {static_cast<uint64_t>(levels)});
  for (int rows = 1; rows <= largest; ++rows) {
    for (int cols = 1; cols <= largest; ++cols) {
      for (int repeat = 0; repeat < (std::max(rows, cols) < 6 ? 20 : 2); ++repeat) {
        const Matrix score = random_matrix(random, rows, cols, levels);
        const double total = checked_total(score, rows, cols, assign(score.data(), rows, cols));
        ASSERT_NEAR(total, brute_force(score, rows, cols, 0, 0, 0), 1e-12) << rows << " x " << cols;
      }
    }
  }
}

TEST(Assignment, IsBestForRandomScores) { compare_with_brute_force(0, 7); }

TEST(Assignment, IsBestWithManyTies) {
  compare_with_brute_force(2, 6);
  compare_with_brute_force(4, 6);
}

TEST(Assignment, NothingToAssign) {
  EXPECT_TRUE(assign(nullptr, 0, 0).empty());
  EXPECT_TRUE(assign(nullptr, 0, 5).empty());
  EXPECT_EQ(assign(nullptr, 3, 0), std::vector<int>(3, -1));
}

TEST(Assignment, OneRowTakesTheLargest) {
  const Matrix score = {0.1, 0.7, -3.0, 0.6};
  EXPECT_EQ(assign(score.data(), 1, 4), std::vector<int>({1}));
  EXPECT_EQ(assign(score.data(), 4, 1), std::vector<int>({-1, 0, -1, -1}));
}

TEST(Assignment, GivesWayForTheBetterSum) {
  // Row 0 prefers column 0 by 1, but row 1 loses 8 without it.
  const Matrix score = {10, 9,  //
                        9, 1};
  EXPECT_EQ(assign(score.data(), 2, 2), std::vector<int>({1, 0}));
}

TEST(Assignment, EqualScoresGoInOrder) {
  const Matrix score(5 * 7, 0.25);
  EXPECT_EQ(assign(score.data(), 5, 5), std::vector<int>({0, 1, 2, 3, 4}));
  EXPECT_EQ(assign(score.data(), 5, 7), std::vector<int>({0, 1, 2, 3, 4}));
  EXPECT_EQ(assign(score.data(), 7, 5), std::vector<int>({0, 1, 2, 3, 4, -1, -1}));
}

TEST(Assignment, FreeColumnGoesBeforeATakenOne) {
  // Row 1 could also push row 0 from column 0 to column 1.
  const Matrix score = {1, 1, 0, 0,  //
                        1, 0, 0, 1};
  EXPECT_EQ(assign(score.data(), 2, 4), std::vector<int>({0, 3}));
}

TEST(Assignment, LowerColumnGoesFirst) {
  // Row 1 needs column 0; row 0 then has three as good as each other.
  const Matrix score = {5, 1, 1, 1,  //
                        9, 0, 0, 0};
  EXPECT_EQ(assign(score.data(), 2, 4), std::vector<int>({1, 0}));
}

// Sizes of the paper's data sets, where brute force is out of reach:
// a hidden permutation scores 1, all else less.
TEST(Assignment, FindsAHiddenPermutation) {
  RandomStream random(3, "permutation");
  for (const auto& [rows, cols] : {std::pair(24, 5), std::pair(24, 24), std::pair(57, 57), std::pair(7, 300)}) {
    std::vector<int> hidden(std::max(rows, cols));
    std::iota(hidden.begin(), hidden.end(), 0);
    random.shuffle(hidden);
    Matrix score = random_matrix(random, rows, cols, 0);
    std::vector<int> expected(rows, -1);
    for (int i = 0; i < std::min(rows, cols); ++i) {
      const int row = rows <= cols ? i : hidden[i], col = rows <= cols ? hidden[i] : i;
      score[row * cols + col] = 1.0;
      expected[row] = col;
    }
    EXPECT_EQ(assign(score.data(), rows, cols), expected) << rows << " x " << cols;
  }
}

TEST(Assignment, WideRangeOfMagnitudes) {
  RandomStream random(5, "magnitudes");
  Matrix score(6 * 6);
  for (double& value : score) value = std::pow(10.0, random.uniform(-300.0, 2.0));
  const double total = checked_total(score, 6, 6, assign(score.data(), 6, 6));
  EXPECT_NEAR(total, brute_force(score, 6, 6, 0, 0, 0), 1e-12 * total);
}

}  // namespace
}  // namespace otseq2set
