// Functions of a row of values, on one thread; most are the pieces of a softmax over a row that is too long to be
// handled at once.
#pragma once

#include <cstdint>

#include "otseq2set/kernels/arithmetic.h"

namespace otseq2set::inline kernels {

// The largest of some values, the first place where it stands, and sum exp(x - largest). With a NaN among the
// values, `sum` is NaN.
template <typename T>
struct RowPeak {
  T largest;
  int64_t place;
  T sum;
};
RowPeak<float> row_peak(const float* row, int64_t count, Arithmetic arithmetic = Arithmetic::kFused);
RowPeak<double> row_peak(const double* row, int64_t count, Arithmetic arithmetic = Arithmetic::kFused);  // kFused alone

// row = exp((row - largest) - log_sum), in this order: large values then keep the digits that matter.
void row_exp(float* row, int64_t count, float largest, float log_sum, Arithmetic arithmetic = Arithmetic::kFused);
void row_exp(double* row, int64_t count, double largest, double log_sum);

// row = row * (factor + extra); `extra` may be null, for zeros.
void row_scale(float* row, int64_t count, float factor, const float* extra);
void row_scale(double* row, int64_t count, double factor, const double* extra);

// score = score + p (1 - score) with p = exp(row - shift): the probability that one of two independent events
// happens. Exact to the smallest values, unlike 1 - (1 - score) (1 - p).
void row_add_scores(float* scores, const float* row, int64_t count, float shift,
                    Arithmetic arithmetic = Arithmetic::kFused);

// fixed = row * one, rounded; |row| <= 1
void row_to_fixed(const float* row, int64_t count, float one, int16_t* fixed);

// row = tanh(row)
void row_tanh(float* row, int64_t count, Arithmetic arithmetic = Arithmetic::kFused);

}  // namespace otseq2set::inline kernels
