#include "otseq2set/loss/ipot.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

namespace otseq2set::inline loss {

namespace {

// A sum below it has lost its terms to underflow; dividing by it instead keeps the scaling finite, and the
// terms, being zero or nearly, stay so.
constexpr double kSmallest = std::numeric_limits<double>::min();

// Steps are many and labels few, so everything is stored by columns: the long dimension is the inner,
// contiguous one. [rows, cols] of the header is [cols, rows] here.
class Ipot {
 public:
  Ipot(const double* cost, int rows, int cols, double beta)
      : rows_(rows),
        cols_(cols),
        kernel_(static_cast<size_t>(rows) * cols),
        scaled_(kernel_.size()),
        row_scale_(rows, 1.0),
        row_sum_(rows),
        col_scale_(cols),
        plan_scale_(cols, 1.0) {
    reduce(cost);
    for (double& value : kernel_) value = std::exp(-value / beta);
    for (double& value : col_scale_) value = std::exp(-value / beta) / cols_;
    std::fill(scaled_.begin(), scaled_.end(), 1.0);
  }

  void step(int inner) {
    next_kernel();
    scale_rows();
    scale_columns();
    for (int again = 1; again < inner; ++again) {
      sum_rows();
      scale_rows();
      scale_columns();
    }
    plan_scale_ = col_scale_;
  }

  std::vector<double> plan() const {
    std::vector<double> plan(scaled_.size());
    for (int col = 0; col < cols_; ++col) {
      for (int row = 0; row < rows_; ++row) {
        plan[static_cast<size_t>(row) * cols_ + col] =
            row_scale_[row] * scaled_[static_cast<size_t>(col) * rows_ + row] * plan_scale_[col];
      }
    }
    return plan;
  }

 private:
  // kernel_ = the cost without its row and column minima, col_scale_ = the column minima. Row minima first:
  // then every row has a zero in a column whose minimum is zero, so the first row sums cannot vanish either.
  void reduce(const double* cost) {
    for (int row = 0; row < rows_; ++row) {
      const double* values = cost + static_cast<size_t>(row) * cols_;
      const double least = *std::min_element(values, values + cols_);
      for (int col = 0; col < cols_; ++col) {
        assert(std::isfinite(values[col]));
        // The difference of two finite numbers may be infinite, the one of two infinite ones is not a number.
        column(col)[row] = std::min(values[col] - least, std::numeric_limits<double>::max());
      }
    }
    for (int col = 0; col < cols_; ++col) {
      double* values = column(col);
      const double least = *std::min_element(values, values + rows_);
      for (int row = 0; row < rows_; ++row) values[row] -= least;
      col_scale_[col] = least;
    }
  }

  double* column(int col) { return kernel_.data() + static_cast<size_t>(col) * rows_; }

  // Q = G * T with T = diag(d) Q diag(s) still unmultiplied, and the row sums of Q diag(s), in one pass.
  void next_kernel() {
    const double* row_scale = row_scale_.data();
    double* row_sum = row_sum_.data();
    std::fill(row_sum_.begin(), row_sum_.end(), 0.0);
    for (int col = 0; col < cols_; ++col) {
      const double* kernel = column(col);
      double* scaled = scaled_.data() + static_cast<size_t>(col) * rows_;
      const double plan_scale = plan_scale_[col], col_scale = col_scale_[col];
#pragma omp simd
      for (int row = 0; row < rows_; ++row) {
        scaled[row] = row_scale[row] * scaled[row] * plan_scale * kernel[row];
        row_sum[row] += scaled[row] * col_scale;
      }
    }
  }

  void sum_rows() {
    double* row_sum = row_sum_.data();
    std::fill(row_sum_.begin(), row_sum_.end(), 0.0);
    for (int col = 0; col < cols_; ++col) {
      const double* scaled = scaled_.data() + static_cast<size_t>(col) * rows_;
      const double col_scale = col_scale_[col];
#pragma omp simd
      for (int row = 0; row < rows_; ++row) row_sum[row] += scaled[row] * col_scale;
    }
  }

  void scale_rows() {
    const double marginal = 1.0 / rows_;
    const double* row_sum = row_sum_.data();
    double* row_scale = row_scale_.data();
#pragma omp simd
    for (int row = 0; row < rows_; ++row) {
      row_scale[row] = marginal / (row_sum[row] > kSmallest ? row_sum[row] : kSmallest);
    }
  }

  void scale_columns() {
    const double marginal = 1.0 / cols_;
    const double* row_scale = row_scale_.data();
    for (int col = 0; col < cols_; ++col) {
      const double* scaled = scaled_.data() + static_cast<size_t>(col) * rows_;
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (int row = 0; row < rows_; ++row) sum += scaled[row] * row_scale[row];
      col_scale_[col] = marginal / std::max(sum, kSmallest);
    }
  }

  int rows_, cols_;
  std::vector<double> kernel_;      // G, [cols, rows]
  std::vector<double> scaled_;      // Q, [cols, rows]
  std::vector<double> row_scale_;   // d, [rows]
  std::vector<double> row_sum_;     // [rows]
  std::vector<double> col_scale_;   // s, [cols]
  std::vector<double> plan_scale_;  // s as it enters T: all 1 before the first step, where T = 1
};

}  // namespace

std::vector<double> transport_plan(const double* cost, int rows, int cols, const IpotOptions& options) {
  assert(rows >= 0 && cols >= 0 && options.beta > 0 && options.outer >= 1 && options.inner >= 1);
  if (rows == 0 || cols == 0) return {};
  Ipot ipot(cost, rows, cols, options.beta);
  for (int iteration = 0; iteration < options.outer; ++iteration) ipot.step(options.inner);
  return ipot.plan();
}

}  // namespace otseq2set::inline loss
