#include "otseq2set/kernels/attention_step.h"

#include <algorithm>
#include <type_traits>

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/attention_step.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/steady_math-inl.h"
#include "otseq2set/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

// Positions are taken four at a time:
// what belongs to the step is then loaded once for four rows of the document.
constexpr int64_t kRows = 4;

// energies[r] = v . tanh(q + k_r) for the rows at keys, keys + hidden, ...
template <class Math, int64_t kCount, typename T>
HWY_INLINE void energies(const T* keys, int64_t hidden, const T* query, const T* v, T* out) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d), kVectors = std::max<int64_t>(kSteadySums / kLanes, 1);
  constexpr int64_t kAtOnce = kVectors * kLanes;  // kSteadySums
  decltype(hn::Zero(d)) sums[kCount][kVectors];
  for (auto& row : sums) {
    for (auto& sum : row) sum = hn::Zero(d);
  }
  const int64_t whole = hidden / kAtOnce * kAtOnce;
  for (int64_t j = 0; j < whole; j += kAtOnce) {
    for (int64_t i = 0; i < kVectors; ++i) {
      const auto q = hn::LoadU(d, query + j + i * kLanes), vj = hn::LoadU(d, v + j + i * kLanes);
      for (int64_t r = 0; r < kCount; ++r) {
        const auto key = hn::LoadU(d, keys + r * hidden + j + i * kLanes);
        sums[r][i] = Math::mul_add(vj, Math::tanh(d, hn::Add(q, key)), sums[r][i]);
      }
    }
  }
  const hn::CappedTag<T, 1> one;
  for (int64_t r = 0; r < kCount; ++r) {
    HWY_ALIGN T by_place[kAtOnce];
    for (int64_t i = 0; i < kVectors; ++i) hn::Store(sums[r][i], d, by_place + i * kLanes);
    for (int64_t j = whole; j < hidden; ++j) {
      const auto tanh = Math::tanh(one, hn::Set(one, query[j] + keys[r * hidden + j]));
      by_place[j - whole] += v[j] * hn::GetLane(tanh);
    }
    out[r] = joined_sums(by_place);
  }
}

template <class Math, typename T>
HWY_INLINE void softmax(T* values, int64_t count) {
  const T largest = *std::max_element(values, values + count);
  for_each_vector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(Math::exp(d, hn::Sub(hn::LoadU(d, values + i), hn::Set(d, largest))), d, values + i);
  });
  T sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i];  // at least 1: the largest contributes exp(0)
  const T inverse = 1 / sum;
  for (int64_t i = 0; i < count; ++i) values[i] *= inverse;
}

// context += sum over kCount rows of weights[r] * row r
template <class Math, int64_t kCount, typename T>
HWY_INLINE void add_rows(const T* states, int64_t width, const T* weights, T* context) {
  for_each_vector<T>(width, [&](auto d, int64_t j) HWY_ATTR {
    auto sum = hn::LoadU(d, context + j);
    for (int64_t r = 0; r < kCount; ++r) {
      sum = Math::mul_add(hn::Set(d, weights[r]), hn::LoadU(d, states + r * width + j), sum);
    }
    hn::StoreU(sum, d, context + j);
  });
}

// The same for states in units of 1 / kFixedOne; the weights are divided by it already.
template <int64_t kCount>
HWY_INLINE void add_fixed_rows(const int16_t* states, int64_t width, const float* weights, float* context) {
  for_each_vector<float>(width, [&](auto d, int64_t j) HWY_ATTR {
    const hn::Rebind<int16_t, decltype(d)> narrow;
    const hn::RebindToSigned<decltype(d)> wide;
    auto sum = hn::LoadU(d, context + j);
    for (int64_t r = 0; r < kCount; ++r) {
      const auto state = hn::ConvertTo(d, hn::PromoteTo(wide, hn::LoadU(narrow, states + r * width + j)));
      sum = SteadyMath::mul_add(hn::Set(d, weights[r]), state, sum);
    }
    hn::StoreU(sum, d, context + j);
  });
}

HWY_INLINE void add_fixed_states(const AttentionStep<float>& step) {
  const int64_t positions = step.document.positions, width = step.document.width;
  const int16_t* states = step.document.fixed_states;
  float scaled[kRows];
  for (int64_t i = 0; i < positions; i += kRows) {
    const int64_t count = std::min(kRows, positions - i);
    for (int64_t r = 0; r < count; ++r) scaled[r] = step.weights[i + r] * (1 / kFixedOne);
    if (count == kRows) {
      add_fixed_rows<kRows>(states + i * width, width, scaled, step.context);
    } else {
      for (int64_t r = 0; r < count; ++r) add_fixed_rows<1>(states + (i + r) * width, width, scaled + r, step.context);
    }
  }
}

template <class Math, typename T>
void attend_any(const AttentionStep<T>& step) {
  const auto [document, query, v, weights, context] = step;
  const auto [keys, states, positions, hidden, width, fixed_states] = document;
  int64_t i = 0;
  for (; i + kRows <= positions; i += kRows) energies<Math, kRows>(keys + i * hidden, hidden, query, v, weights + i);
  for (; i < positions; ++i) energies<Math, 1>(keys + i * hidden, hidden, query, v, weights + i);
  softmax<Math>(weights, positions);
  std::fill_n(context, width, T(0));
  if constexpr (std::is_same_v<Math, SteadyMath>) {
    if (fixed_states != nullptr) return add_fixed_states(step);
  }
  for (i = 0; i + kRows <= positions; i += kRows)
    add_rows<Math, kRows>(states + i * width, width, weights + i, context);
  for (; i < positions; ++i) add_rows<Math, 1>(states + i * width, width, weights + i, context);
}

// out[r] = gradient . row r
template <int64_t kCount, typename T>
HWY_INLINE void dot_rows(const T* states, int64_t width, const T* gradient, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  decltype(hn::Zero(d)) sums[kCount];
  for (int64_t r = 0; r < kCount; ++r) sums[r] = hn::Zero(d);
  int64_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    const auto g = hn::LoadU(d, gradient + j);
    for (int64_t r = 0; r < kCount; ++r) sums[r] = hn::MulAdd(g, hn::LoadU(d, states + r * width + j), sums[r]);
  }
  for (int64_t r = 0; r < kCount; ++r) out[r] = hn::GetLane(hn::SumOfLanes(d, sums[r]));
  for (; j < width; ++j) {
    for (int64_t r = 0; r < kCount; ++r) out[r] += gradient[j] * states[r * width + j];
  }
}

// With g_r the gradient of e_r:  d v += g_r tanh,  d k_r += g_r v (1 - tanh^2),  d q += the same.
// For the positions from `first` on; their g stand in the scratch.
template <int64_t kCount, typename T>
HWY_INLINE void score_gradients(const AttentionStepBack<T>& step, int64_t first) {
  const int64_t hidden = step.document.hidden;
  const T *keys = step.document.keys + first * hidden, *query = step.query, *v = step.v, *g = step.scratch + first;
  T* key_gradients = step.key_gradients + first * hidden;
  T *query_gradient = step.query_gradient, *v_gradient = step.v_gradient;
  for_each_vector<T>(hidden, [&](auto d, int64_t j) HWY_ATTR {
    const auto q = hn::LoadU(d, query + j), vj = hn::LoadU(d, v + j);
    auto query_sum = hn::LoadU(d, query_gradient + j);
    auto v_sum = hn::LoadU(d, v_gradient + j);
    for (int64_t r = 0; r < kCount; ++r) {
      const auto t = vector_tanh(d, hn::Add(q, hn::LoadU(d, keys + r * hidden + j)));
      const auto gradient = hn::Set(d, g[r]);
      v_sum = hn::MulAdd(gradient, t, v_sum);
      const auto inner = hn::Mul(hn::Mul(gradient, vj), hn::NegMulAdd(t, t, hn::Set(d, T(1))));
      query_sum = hn::Add(query_sum, inner);
      T* key_gradient = key_gradients + r * hidden + j;
      hn::StoreU(hn::Add(hn::LoadU(d, key_gradient), inner), d, key_gradient);
    }
    hn::StoreU(query_sum, d, query_gradient + j);
    hn::StoreU(v_sum, d, v_gradient + j);
  });
}

template <typename T>
void attend_backward_any(const AttentionStepBack<T>& step) {
  const auto [keys, states, positions, hidden, width, fixed_states] = step.document;
  const T* weights = step.weights;
  T* scratch = step.scratch;
  int64_t i = 0;
  for (; i + kRows <= positions; i += kRows) {
    dot_rows<kRows>(states + i * width, width, step.context_gradient, scratch + i);
  }
  for (; i < positions; ++i) dot_rows<1>(states + i * width, width, step.context_gradient, scratch + i);
  T mean = 0;
  for (i = 0; i < positions; ++i) mean += weights[i] * scratch[i];
  for (i = 0; i < positions; ++i) scratch[i] = weights[i] * (scratch[i] - mean);  // through the softmax
  std::fill_n(step.query_gradient, hidden, T(0));
  for (i = 0; i + kRows <= positions; i += kRows) score_gradients<kRows>(step, i);
  for (; i < positions; ++i) score_gradients<1>(step, i);
}

// HWY_EXPORT takes plain functions.
void attend_float(const AttentionStep<float>& step) { attend_any<FusedMath>(step); }
void attend_steady(const AttentionStep<float>& step) { attend_any<SteadyMath>(step); }
void attend_double(const AttentionStep<double>& step) { attend_any<FusedMath>(step); }
void backward_float(const AttentionStepBack<float>& step) { attend_backward_any(step); }
void backward_double(const AttentionStepBack<double>& step) { attend_backward_any(step); }

}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(attend_float);
HWY_EXPORT(attend_steady);
HWY_EXPORT(attend_double);
HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);

void attend(const AttentionStep<float>& step, Arithmetic arithmetic) {
  arithmetic == Arithmetic::kSteady ? HWY_DYNAMIC_DISPATCH(attend_steady)(step)
                                    : HWY_DYNAMIC_DISPATCH(attend_float)(step);
}
void attend(const AttentionStep<double>& step, Arithmetic) { HWY_DYNAMIC_DISPATCH(attend_double)(step); }
void attend_backward(const AttentionStepBack<float>& step) { HWY_DYNAMIC_DISPATCH(backward_float)(step); }
void attend_backward(const AttentionStepBack<double>& step) { HWY_DYNAMIC_DISPATCH(backward_double)(step); }

}  // namespace otseq2set::inline kernels
#endif  // HWY_ONCE
