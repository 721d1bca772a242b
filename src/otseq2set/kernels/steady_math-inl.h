// exp, sigmoid and tanh that give the same bits on every instruction set: each operation rounds by itself, in an order
// that no instruction set changes. Beside them the functions of vector_math-inl.h under the same names, so that a kernel
// can be compiled for either.
//
//   tanh x = x P(x^2) / Q(x^2) for |x| <= 7, fitted with an error of at most 1.2e-6; beyond, its value at 7
//   sigmoid x = 1/2 + 1/2 tanh(x / 2)
//   e^x as vector_math-inl.h has it, with one term less, which is off by at most 1.2e-7 before rounding
#include <hwy/highway.h>

#include "otseq2set/kernels/vector_math-inl.h"

#if defined(OTSEQ2SET_KERNELS_STEADY_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OTSEQ2SET_KERNELS_STEADY_MATH_INL_H_
#undef OTSEQ2SET_KERNELS_STEADY_MATH_INL_H_
#else
#define OTSEQ2SET_KERNELS_STEADY_MATH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct FusedMath {
  template <class V>
  static HWY_INLINE V mul_add(V a, V b, V c) {
    return hn::MulAdd(a, b, c);
  }
  template <class D, class V>
  static HWY_INLINE V exp(D d, V x) {
    return vector_exp(d, x);
  }
  template <class D, class V>
  static HWY_INLINE V sigmoid(D d, V x) {
    return vector_sigmoid(d, x);
  }
  template <class D, class V>
  static HWY_INLINE V tanh(D d, V x) {
    return vector_tanh(d, x);
  }
};

// For float. The program is compiled without contraction, so that what is written as two operations stays two.
struct SteadyMath {
  template <class V>
  static HWY_INLINE V mul_add(V a, V b, V c) {
    return hn::Add(hn::Mul(a, b), c);
  }

  template <class D, class V>
  static HWY_INLINE V tanh(D d, V x) {
    const V y = hn::Max(hn::Min(x, hn::Set(d, 7.0F)), hn::Set(d, -7.0F));
    const V square = hn::Mul(y, y);
    V p = mul_add(square, hn::Set(d, 3.930018920073053e-06F), hn::Set(d, 0.0022769903298467398F));
    V q = mul_add(square, hn::Set(d, 0.00014235099661163986F), hn::Set(d, 0.021072186529636383F));
    p = mul_add(square, p, hn::Set(d, 0.12302184849977493F));
    q = mul_add(square, q, hn::Set(d, 0.45634034276008606F));
    p = mul_add(square, p, hn::Set(d, 0.9999957084655762F));
    q = mul_add(square, q, hn::Set(d, 1.0F));
    return hn::Div(hn::Mul(y, p), q);
  }

  template <class D, class V>
  static HWY_INLINE V sigmoid(D d, V x) {
    const V half = hn::Set(d, 0.5F);
    return mul_add(tanh(d, hn::Mul(x, half)), half, half);
  }

  template <class D, class V>
  static HWY_INLINE V exp(D d, V x) {
    using Constants = ExpConstants<float>;
    const hn::RebindToSigned<D> di;
    const auto too_small = hn::Lt(x, hn::Set(d, Constants::kLeast));
    const V most = hn::Set(d, 88.0F);
    const V inside = hn::IfThenElse(hn::Gt(x, most), most, x);
    const V shifter = hn::Set(d, Constants::kShifter);
    const V shifted = mul_add(inside, hn::Set(d, 1.44269504088896340736F), shifter);
    const V n = hn::Sub(shifted, shifter);
    V r = hn::Sub(inside, hn::Mul(n, hn::Set(d, Constants::kLn2High)));
    r = hn::Sub(r, hn::Mul(n, hn::Set(d, Constants::kLn2Low)));
    V p = hn::Set(d, static_cast<float>(one_over_factorial(6)));
    p = mul_add(p, r, hn::Set(d, static_cast<float>(one_over_factorial(5))));
    p = mul_add(p, r, hn::Set(d, static_cast<float>(one_over_factorial(4))));
    p = mul_add(p, r, hn::Set(d, static_cast<float>(one_over_factorial(3))));
    p = mul_add(p, r, hn::Set(d, 0.5F));
    p = mul_add(p, r, hn::Set(d, 1.0F));
    p = mul_add(p, r, hn::Set(d, 1.0F));
    const auto exponent =
        hn::ShiftLeft<Constants::kMantissa>(hn::Add(hn::BitCast(di, shifted), hn::Set(di, Constants::kBias)));
    return hn::IfThenZeroElse(too_small, hn::Mul(hn::BitCast(d, exponent), p));
  }
};

// Sums of values by their place, so that every instruction set adds them up in the same order: value i goes to sum
// i % 16.
constexpr int64_t kSteadySums = 16;

// The sums as one, always in this order.
template <typename T>
HWY_INLINE T joined_sums(T* sums) {
  for (int64_t half = kSteadySums / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
