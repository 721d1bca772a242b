// exp, sigmoid and tanh of a Highway vector of float or double, for every target a kernel is compiled for.
//
// With n = round(x / ln 2) and r = x - n ln 2, |r| <= ln 2 / 2:
//
//   e^x = 2^n (1 + p),   p = r + r^2/2! + ... = e^r - 1,   e^x - 1 = 2^n p + (2^n - 1)
//
// The Taylor series is cut where the next term falls below the type's rounding. n is found by adding a number
// so large that only the integer part fits behind it: its lowest bits are then n, ready to be shifted into an
// exponent (there is no 64-bit conversion before AVX-512).
//
// Relative error at most 3 units in the last place; over all floats from 1e-5 to 200 in size exp has 1.2,
// sigmoid 2.4 and tanh 2.5. NaN stays NaN, infinities go to their limits. exp and sigmoid of numbers below
// -86.9 (double: -708) are 0, so that neither gives a subnormal number.
//
// Highway has functions of its own (hwy/contrib/math). Those of its release 1.0.3 are as exact but take 1.4
// (exp) to 1.7 (tanh) times as long on AVX2 and AVX-512, and they make 0 of exp(NaN) and of exp(200): a loss
// that is not finite would go unnoticed. docs/performance.md has the figures.
#include <hwy/highway.h>

#if defined(OTSEQ2SET_KERNELS_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OTSEQ2SET_KERNELS_VECTOR_MATH_INL_H_
#undef OTSEQ2SET_KERNELS_VECTOR_MATH_INL_H_
#else
#define OTSEQ2SET_KERNELS_VECTOR_MATH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr int kMantissa = 23;
  static constexpr int32_t kBias = 127;
  static constexpr float kShifter = 12582912.0f;   // 1.5 * 2^23
  static constexpr float kLn2High = 0.693359375f;  // few bits: n times it is exact
  static constexpr float kLn2Low = -2.12194440e-4f;
  static constexpr float kLeast = -86.9f, kMost = 89.0f;  // 0 below; e^kMost is already infinite
  static constexpr int kTerms = 7;
};

template <>
struct ExpConstants<double> {
  static constexpr int kMantissa = 52;
  static constexpr int64_t kBias = 1023;
  static constexpr double kShifter = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLn2High = 6.93147180369123816490e-01;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  static constexpr double kLeast = -708.0, kMost = 710.0;
  static constexpr int kTerms = 13;
};

constexpr double one_over_factorial(int k) { return k < 2 ? 1.0 : one_over_factorial(k - 1) / k; }

// 1/kFrom! + r/(kFrom + 1)! + r^2/(kFrom + 2)! + ..., from the last term.
// A template, because a loop is not unrolled.
template <int kFrom>
struct ExpSeries {
  template <class D, class V>
  static HWY_INLINE V sum(D d, V r) {
    using T = hn::TFromD<D>;
    constexpr T kFirst = static_cast<T>(one_over_factorial(kFrom));
    if constexpr (kFrom == ExpConstants<T>::kTerms) {
      return hn::Set(d, kFirst);
    } else {
      return hn::MulAdd(ExpSeries<kFrom + 1>::sum(d, r), r, hn::Set(d, kFirst));
    }
  }
};

// With x = n ln 2 + r: scale = 2^(n - kLessBy), and returns p = e^r - 1.
template <int kLessBy, class D, class V>
HWY_INLINE V exp_parts(D d, V x, V& scale) {
  using T = hn::TFromD<D>;
  using Constants = ExpConstants<T>;
  const hn::RebindToSigned<D> di;

  const V shifter = hn::Set(d, Constants::kShifter);
  const V shifted = hn::MulAdd(x, hn::Set(d, static_cast<T>(1.44269504088896340736)), shifter);
  const V n = hn::Sub(shifted, shifter);
  V r = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2High), x);
  r = hn::NegMulAdd(n, hn::Set(d, Constants::kLn2Low), r);

  const auto bias = hn::Set(di, Constants::kBias - kLessBy);
  const auto exponent = hn::ShiftLeft<Constants::kMantissa>(hn::Add(hn::BitCast(di, shifted), bias));
  scale = hn::BitCast(d, exponent);
  return hn::MulAdd(hn::Mul(r, r), ExpSeries<2>::sum(d, r), r);
}

// e^x
template <class D, class V>
HWY_INLINE V vector_exp(D d, V x) {
  using T = hn::TFromD<D>;
  const V most = hn::Set(d, ExpConstants<T>::kMost);
  const auto too_small = hn::Lt(x, hn::Set(d, ExpConstants<T>::kLeast));
  // Comparing instead of Min, which may lose a NaN.
  const V inside = hn::IfThenElse(hn::Gt(x, most), most, x);
  // 2^n itself would not fit where e^x just does.
  V scale;
  const V p = exp_parts<1>(d, inside, scale);
  const V half = hn::MulAdd(scale, p, scale);
  return hn::IfThenZeroElse(too_small, hn::Add(half, half));
}

// 1 / (1 + e^-x), as e^-|x| / (1 + e^-|x|) for negative x, so that it is exact to the smallest values.
template <class D, class V>
HWY_INLINE V vector_sigmoid(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, static_cast<T>(1));
  const V y = hn::Neg(hn::Abs(x));
  const auto too_small = hn::Lt(y, hn::Set(d, ExpConstants<T>::kLeast));
  V scale;
  const V p = exp_parts<0>(d, y, scale);
  const V e = hn::IfThenZeroElse(too_small, hn::MulAdd(scale, p, scale));
  const V above = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(above, hn::Add(one, e));
}

// tanh x = m / (2 - m) with m = 1 - e^(-2|x|), and the sign of x.
template <class D, class V>
HWY_INLINE V vector_tanh(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, static_cast<T>(1)), two = hn::Set(d, static_cast<T>(2));
  const V least = hn::Set(d, static_cast<T>(-40));  // m is 1 from here on, in either type
  const V y = hn::Mul(hn::Abs(x), hn::Set(d, static_cast<T>(-2)));
  V scale;
  const V p = exp_parts<0>(d, hn::IfThenElse(hn::Lt(y, least), least, y), scale);
  const V m = hn::NegMulAdd(scale, p, hn::Sub(one, scale));
  return hn::CopySign(hn::Div(m, hn::Sub(two, m)), x);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
