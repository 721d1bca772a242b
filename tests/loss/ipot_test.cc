#include "otseq2set/loss/ipot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "otseq2set/core/random.h"

namespace otseq2set {
namespace {

using Matrix = std::vector<double>;  // [rows, cols]

double log_sum_exp(const std::vector<double>& values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

// The header's equations word by word, on logarithms, which can neither underflow nor overflow.
Matrix plan_by_logarithms(const Matrix& cost, int rows, int cols, const IpotOptions& options) {
  Matrix log_plan(cost.size(), 0.0), log_q(cost.size());
  std::vector<double> log_d(rows), log_s(cols, -std::log(cols));
  for (int outer = 0; outer < options.outer; ++outer) {
    for (size_t i = 0; i < cost.size(); ++i) log_q[i] = log_plan[i] - cost[i] / options.beta;
    for (int inner = 0; inner < options.inner; ++inner) {
      for (int row = 0; row < rows; ++row) {
        std::vector<double> terms(cols);
        for (int col = 0; col < cols; ++col) terms[col] = log_q[row * cols + col] + log_s[col];
        log_d[row] = -std::log(rows) - log_sum_exp(terms);
      }
      for (int col = 0; col < cols; ++col) {
        std::vector<double> terms(rows);
        for (int row = 0; row < rows; ++row) terms[row] = log_q[row * cols + col] + log_d[row];
        log_s[col] = -std::log(cols) - log_sum_exp(terms);
      }
    }
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col) {
        log_plan[row * cols + col] = log_d[row] + log_q[row * cols + col] + log_s[col];
      }
    }
  }
  for (double& value : log_plan) value = std::exp(value);
  return log_plan;
}

Matrix random_cost(RandomStream& random, int rows, int cols, double largest) {
  Matrix cost(static_cast<size_t>(rows) * cols);
  for (double& value : cost) value = random.uniform(0.0, largest);
  return cost;
}

void expect_near(const Matrix& plan, const Matrix& expected, double tolerance) {
  ASSERT_EQ(plan.size(), expected.size());
  for (size_t i = 0; i < plan.size(); ++i) ASSERT_NEAR(plan[i], expected[i], tolerance) << "element " << i;
}

// Finite, not negative, column sums exact.
void expect_plan(const Matrix& plan, int rows, int cols) {
  ASSERT_EQ(plan.size(), static_cast<size_t>(rows) * cols);
  for (double value : plan) ASSERT_TRUE(std::isfinite(value) && value >= 0) << value;
  for (int col = 0; col < cols; ++col) {
    double sum = 0;
    for (int row = 0; row < rows; ++row) sum += plan[row * cols + col];
    ASSERT_NEAR(sum * cols, 1.0, 1e-12) << "column " << col;
  }
}

double worst_row_sum(const Matrix& plan, int rows, int cols) {
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int col = 0; col < cols; ++col) sum += plan[row * cols + col];
    worst = std::max(worst, std::abs(sum * rows - 1.0));
  }
  return worst;
}

TEST(Ipot, EqualsTheEquations) {
  RandomStream random(1, "ipot test");
  for (const auto& [rows, cols] : {std::pair(1, 1), std::pair(4, 3), std::pair(3, 8), std::pair(24, 5)}) {
    for (const IpotOptions& options : {IpotOptions{}, IpotOptions{0.5, 20, 3}, IpotOptions{2.0, 1, 1}}) {
      const Matrix cost = random_cost(random, rows, cols, 2.0);
      const Matrix plan = transport_plan(cost.data(), rows, cols, options);
      expect_near(plan, plan_by_logarithms(cost, rows, cols, options), 1e-13);
    }
  }
}

TEST(Ipot, MarginalsOfCosineCosts) {
  RandomStream random(2, "ipot test");
  for (const auto& [rows, cols] : {std::pair(24, 5), std::pair(24, 24), std::pair(57, 57), std::pair(7, 60)}) {
    const Matrix cost = random_cost(random, rows, cols, 1.3);
    const Matrix plan = transport_plan(cost.data(), rows, cols);
    expect_plan(plan, rows, cols);
    EXPECT_LT(worst_row_sum(plan, rows, cols), 0.25) << rows << " x " << cols;
    const Matrix longer = transport_plan(cost.data(), rows, cols, {1.0, 2000, 1});
    EXPECT_LT(worst_row_sum(longer, rows, cols), 0.01) << rows << " x " << cols;
  }
}

// The cheapest permutation is the diagonal, so the plan is nearly it.
TEST(Ipot, FindsTheCheapWay) {
  const int size = 6;
  Matrix cost(size * size, 1.0), expected(size * size, 0.0);
  for (int i = 0; i < size; ++i) cost[i * size + i] = 0.0, expected[i * size + i] = 1.0 / size;
  expect_near(transport_plan(cost.data(), size, size), expected, 1e-12);
}

TEST(Ipot, OneRowOrOneColumnIsUniform) {
  const Matrix cost = {0.3, 5.0, 900.0, -7.0};
  expect_near(transport_plan(cost.data(), 1, 4), Matrix(4, 0.25), 1e-15);
  expect_near(transport_plan(cost.data(), 4, 1), Matrix(4, 0.25), 1e-15);
  expect_near(transport_plan(cost.data(), 1, 1), Matrix(1, 1.0), 0.0);
}

TEST(Ipot, NothingToTransport) {
  EXPECT_TRUE(transport_plan(nullptr, 0, 4).empty());
  EXPECT_TRUE(transport_plan(nullptr, 4, 0).empty());
}

TEST(Ipot, ConstantCostsAreUniform) {
  for (double value : {0.0, 1.0, 1e3, -1e3, 1e300, std::numeric_limits<double>::max()}) {
    const Matrix cost(24 * 5, value);
    expect_near(transport_plan(cost.data(), 24, 5), Matrix(24 * 5, 1.0 / (24 * 5)), 1e-15);
  }
}

// exp(-1000) is zero in double precision: without taking off the minima whole rows and columns would vanish.
TEST(Ipot, LargeCostsEqualTheEquations) {
  RandomStream random(3, "ipot test");
  for (double largest : {30.0, 200.0, 1e3}) {
    for (const auto& [rows, cols] : {std::pair(24, 5), std::pair(5, 24), std::pair(9, 9)}) {
      const Matrix cost = random_cost(random, rows, cols, largest);
      const Matrix plan = transport_plan(cost.data(), rows, cols);
      expect_plan(plan, rows, cols);
      expect_near(plan, plan_by_logarithms(cost, rows, cols, {}), 1e-9);
    }
  }
}

TEST(Ipot, ColumnFarFromAllRows) {
  RandomStream random(4, "ipot test");
  Matrix cost = random_cost(random, 24, 5, 1.3);
  for (int row = 0; row < 24; ++row) cost[row * 5 + 2] += 1e3, cost[row * 5 + 3] += 500.0;
  const Matrix plan = transport_plan(cost.data(), 24, 5);
  expect_plan(plan, 24, 5);
  expect_near(plan, plan_by_logarithms(cost, 24, 5, {}), 1e-9);
}

TEST(Ipot, RowCostsDoNotMatter) {
  RandomStream random(5, "ipot test");
  Matrix cost = random_cost(random, 6, 4, 1.0);
  const Matrix plan = transport_plan(cost.data(), 6, 4);
  for (int row = 0; row < 6; ++row) {
    for (int col = 0; col < 4; ++col) cost[row * 4 + col] += 100.0 * row;
  }
  expect_near(transport_plan(cost.data(), 6, 4), plan, 1e-11);
}

TEST(Ipot, EveryFiniteCostGivesAPlan) {
  RandomStream random(6, "ipot test");
  const double largest = std::numeric_limits<double>::max();
  const std::vector<double> values = {0.0, 1.0, 40.0, 750.0, 1e3, 1e6, 1e300, largest, -largest, -1e3};
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const int rows = 1 + static_cast<int>(random.below(12)), cols = 1 + static_cast<int>(random.below(12));
    Matrix cost(static_cast<size_t>(rows) * cols);
    for (double& value : cost) value = values[random.below(values.size())];
    expect_plan(transport_plan(cost.data(), rows, cols, {1.0, 50, 1 + repeat % 2}), rows, cols);
  }
}

}  // namespace
}  // namespace otseq2set
