#include "otseq2set/kernels/row_math.h"

#include <algorithm>

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/row_math.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/vector_loop-inl.h"
#include "otseq2set/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

template <typename T>
HWY_INLINE T largest_of(const T* row, int64_t count) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto best = hn::Set(d, row[0]);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) best = hn::Max(best, hn::LoadU(d, row + i));
  T largest = hn::GetLane(hn::MaxOfLanes(d, best));
  for (; i < count; ++i) largest = std::max(largest, row[i]);
  return largest;
}

template <typename T>
HWY_INLINE T sum_exp(const T* row, int64_t count, T shift) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sums = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    sums = hn::Add(sums, vector_exp(d, hn::Sub(hn::LoadU(d, row + i), hn::Set(d, shift))));
  }
  T sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < count; ++i) sum += hn::GetLane(vector_exp(one, hn::Set(one, row[i] - shift)));
  return sum;
}

template <typename T>
RowPeak<T> peak_any(const T* row, int64_t count) {
  const T largest = largest_of(row, count);
  const int64_t place = std::find(row, row + count, largest) - row;
  return {largest, std::min(place, count - 1), sum_exp(row, count, largest)};
}

template <typename T>
void exp_any(T* row, int64_t count, T largest, T log_sum) {
  for_each_vector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto below = hn::Sub(hn::LoadU(d, row + i), hn::Set(d, largest));
    hn::StoreU(vector_exp(d, hn::Sub(below, hn::Set(d, log_sum))), d, row + i);
  });
}

template <typename T>
void scale_any(T* row, int64_t count, T factor, const T* extra) {
  for_each_vector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto factors = extra != nullptr ? hn::Add(hn::Set(d, factor), hn::LoadU(d, extra + i)) : hn::Set(d, factor);
    hn::StoreU(hn::Mul(hn::LoadU(d, row + i), factors), d, row + i);
  });
}

void add_scores_float(float* scores, const float* row, int64_t count, float shift) {
  for_each_vector<float>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto score = hn::LoadU(d, scores + i), one = hn::Set(d, 1.0F);
    const auto p = hn::Min(one, vector_exp(d, hn::Sub(hn::LoadU(d, row + i), hn::Set(d, shift))));
    hn::StoreU(hn::Min(one, hn::MulAdd(p, hn::Sub(one, score), score)), d, scores + i);
  });
}

void tanh_float(float* row, int64_t count) {
  for_each_vector<float>(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(vector_tanh(d, hn::LoadU(d, row + i)), d, row + i); });
}

// HWY_EXPORT takes plain functions.
RowPeak<float> peak_float(const float* row, int64_t count) { return peak_any(row, count); }
RowPeak<double> peak_double(const double* row, int64_t count) { return peak_any(row, count); }
void exp_float(float* row, int64_t count, float largest, float log_sum) { exp_any(row, count, largest, log_sum); }
void exp_double(double* row, int64_t count, double largest, double log_sum) { exp_any(row, count, largest, log_sum); }
void scale_float(float* row, int64_t count, float factor, const float* extra) { scale_any(row, count, factor, extra); }
void scale_double(double* row, int64_t count, double factor, const double* extra) {
  scale_any(row, count, factor, extra);
}

}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(peak_float);
HWY_EXPORT(peak_double);
HWY_EXPORT(exp_float);
HWY_EXPORT(exp_double);
HWY_EXPORT(scale_float);
HWY_EXPORT(scale_double);
HWY_EXPORT(add_scores_float);
HWY_EXPORT(tanh_float);

RowPeak<float> row_peak(const float* row, int64_t count) { return HWY_DYNAMIC_DISPATCH(peak_float)(row, count); }
RowPeak<double> row_peak(const double* row, int64_t count) { return HWY_DYNAMIC_DISPATCH(peak_double)(row, count); }
void row_exp(float* row, int64_t count, float largest, float log_sum) {
  HWY_DYNAMIC_DISPATCH(exp_float)(row, count, largest, log_sum);
}
void row_exp(double* row, int64_t count, double largest, double log_sum) {
  HWY_DYNAMIC_DISPATCH(exp_double)(row, count, largest, log_sum);
}
void row_scale(float* row, int64_t count, float factor, const float* extra) {
  HWY_DYNAMIC_DISPATCH(scale_float)(row, count, factor, extra);
}
void row_scale(double* row, int64_t count, double factor, const double* extra) {
  HWY_DYNAMIC_DISPATCH(scale_double)(row, count, factor, extra);
}
void row_add_scores(float* scores, const float* row, int64_t count, float shift) {
  HWY_DYNAMIC_DISPATCH(add_scores_float)(scores, row, count, shift);
}
void row_tanh(float* row, int64_t count) { HWY_DYNAMIC_DISPATCH(tanh_float)(row, count); }

}  // namespace otseq2set::inline kernels
#endif  // HWY_ONCE
