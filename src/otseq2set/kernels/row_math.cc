#include "otseq2set/kernels/row_math.h"

#include <algorithm>

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/row_math.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/steady_math-inl.h"
#include "otseq2set/kernels/vector_loop-inl.h"

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

template <class Math, typename T>
HWY_INLINE T sum_exp(const T* row, int64_t count, T shift) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  constexpr int64_t kLanes = hn::MaxLanes(d), kVectors = std::max<int64_t>(kSteadySums / kLanes, 1);
  decltype(hn::Zero(d)) sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  const int64_t whole = count / (kVectors * kLanes) * kVectors * kLanes;
  for (int64_t i = 0; i < whole; i += kVectors * kLanes) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const auto below = hn::Sub(hn::LoadU(d, row + i + v * kLanes), hn::Set(d, shift));
      sums[v] = hn::Add(sums[v], Math::exp(d, below));
    }
  }
  HWY_ALIGN T by_place[kVectors * kLanes];
  for (int64_t v = 0; v < kVectors; ++v) hn::Store(sums[v], d, by_place + v * kLanes);
  for (int64_t i = whole; i < count; ++i) {
    by_place[i - whole] += hn::GetLane(Math::exp(one, hn::Set(one, row[i] - shift)));
  }
  return joined_sums(by_place);
}

template <class Math, typename T>
RowPeak<T> peak_any(const T* row, int64_t count) {
  const T largest = largest_of(row, count);
  const int64_t place = std::find(row, row + count, largest) - row;
  return {largest, std::min(place, count - 1), sum_exp<Math>(row, count, largest)};
}

template <class Math, typename T>
void exp_any(T* row, int64_t count, T largest, T log_sum) {
  for_each_vector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto below = hn::Sub(hn::LoadU(d, row + i), hn::Set(d, largest));
    hn::StoreU(Math::exp(d, hn::Sub(below, hn::Set(d, log_sum))), d, row + i);
  });
}

template <typename T>
void scale_any(T* row, int64_t count, T factor, const T* extra) {
  for_each_vector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto factors = extra != nullptr ? hn::Add(hn::Set(d, factor), hn::LoadU(d, extra + i)) : hn::Set(d, factor);
    hn::StoreU(hn::Mul(hn::LoadU(d, row + i), factors), d, row + i);
  });
}

template <class Math>
void add_scores_any(float* scores, const float* row, int64_t count, float shift) {
  for_each_vector<float>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto score = hn::LoadU(d, scores + i), one = hn::Set(d, 1.0F);
    const auto p = hn::Min(one, Math::exp(d, hn::Sub(hn::LoadU(d, row + i), hn::Set(d, shift))));
    hn::StoreU(hn::Min(one, Math::mul_add(p, hn::Sub(one, score), score)), d, scores + i);
  });
}

void to_fixed(const float* row, int64_t count, float one, int16_t* fixed) {
  for_each_vector<float>(count, [&](auto d, int64_t i) HWY_ATTR {
    const hn::Rebind<int16_t, decltype(d)> narrow;
    const auto rounded = hn::NearestInt(hn::Mul(hn::LoadU(d, row + i), hn::Set(d, one)));
    hn::StoreU(hn::DemoteTo(narrow, rounded), narrow, fixed + i);
  });
}

template <class Math>
void tanh_any(float* row, int64_t count) {
  for_each_vector<float>(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(Math::tanh(d, hn::LoadU(d, row + i)), d, row + i); });
}

// HWY_EXPORT takes plain functions.
RowPeak<float> peak_float(const float* row, int64_t count) { return peak_any<FusedMath>(row, count); }
RowPeak<float> peak_steady(const float* row, int64_t count) { return peak_any<SteadyMath>(row, count); }
RowPeak<double> peak_double(const double* row, int64_t count) { return peak_any<FusedMath>(row, count); }
void exp_float(float* row, int64_t count, float largest, float log_sum) {
  exp_any<FusedMath>(row, count, largest, log_sum);
}
void exp_steady(float* row, int64_t count, float largest, float log_sum) {
  exp_any<SteadyMath>(row, count, largest, log_sum);
}
void exp_double(double* row, int64_t count, double largest, double log_sum) {
  exp_any<FusedMath>(row, count, largest, log_sum);
}
void add_scores_float(float* scores, const float* row, int64_t count, float shift) {
  add_scores_any<FusedMath>(scores, row, count, shift);
}
void add_scores_steady(float* scores, const float* row, int64_t count, float shift) {
  add_scores_any<SteadyMath>(scores, row, count, shift);
}
void tanh_float(float* row, int64_t count) { tanh_any<FusedMath>(row, count); }
void tanh_steady(float* row, int64_t count) { tanh_any<SteadyMath>(row, count); }
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
HWY_EXPORT(peak_steady);
HWY_EXPORT(peak_double);
HWY_EXPORT(exp_float);
HWY_EXPORT(exp_steady);
HWY_EXPORT(exp_double);
HWY_EXPORT(scale_float);
HWY_EXPORT(scale_double);
HWY_EXPORT(add_scores_float);
HWY_EXPORT(add_scores_steady);
HWY_EXPORT(to_fixed);
HWY_EXPORT(tanh_float);
HWY_EXPORT(tanh_steady);

RowPeak<float> row_peak(const float* row, int64_t count, Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kSteady ? HWY_DYNAMIC_DISPATCH(peak_steady)(row, count)
                                           : HWY_DYNAMIC_DISPATCH(peak_float)(row, count);
}
RowPeak<double> row_peak(const double* row, int64_t count, Arithmetic) {
  return HWY_DYNAMIC_DISPATCH(peak_double)(row, count);
}
void row_exp(float* row, int64_t count, float largest, float log_sum, Arithmetic arithmetic) {
  arithmetic == Arithmetic::kSteady ? HWY_DYNAMIC_DISPATCH(exp_steady)(row, count, largest, log_sum)
                                    : HWY_DYNAMIC_DISPATCH(exp_float)(row, count, largest, log_sum);
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
void row_add_scores(float* scores, const float* row, int64_t count, float shift, Arithmetic arithmetic) {
  arithmetic == Arithmetic::kSteady ? HWY_DYNAMIC_DISPATCH(add_scores_steady)(scores, row, count, shift)
                                    : HWY_DYNAMIC_DISPATCH(add_scores_float)(scores, row, count, shift);
}
void row_to_fixed(const float* row, int64_t count, float one, int16_t* fixed) {
  HWY_DYNAMIC_DISPATCH(to_fixed)(row, count, one, fixed);
}
void row_tanh(float* row, int64_t count, Arithmetic arithmetic) {
  arithmetic == Arithmetic::kSteady ? HWY_DYNAMIC_DISPATCH(tanh_steady)(row, count)
                                    : HWY_DYNAMIC_DISPATCH(tanh_float)(row, count);
}

}  // namespace otseq2set::inline kernels
#endif  // HWY_ONCE
