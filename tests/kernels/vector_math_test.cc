// exp, sigmoid and tanh of vectors against a wider type, on every instruction set that the machine has.
//
// What is promised stands in vector_math-inl.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector_math_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/vector_loop-inl.h"
#include "otseq2set/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace otseq2set {
namespace HWY_NAMESPACE {

template <typename T>
void map_exp(const T* in, int64_t count, T* out) {
  for_each_vector<T>(count,
                     [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(vector_exp(d, hn::LoadU(d, in + i)), d, out + i); });
}

template <typename T>
void map_sigmoid(const T* in, int64_t count, T* out) {
  for_each_vector<T>(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(vector_sigmoid(d, hn::LoadU(d, in + i)), d, out + i); });
}

template <typename T>
void map_tanh(const T* in, int64_t count, T* out) {
  for_each_vector<T>(count,
                     [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(vector_tanh(d, hn::LoadU(d, in + i)), d, out + i); });
}

// HWY_EXPORT takes plain functions.
void map_exp_float(const float* in, int64_t count, float* out) { map_exp(in, count, out); }
void map_exp_double(const double* in, int64_t count, double* out) { map_exp(in, count, out); }
void map_sigmoid_float(const float* in, int64_t count, float* out) { map_sigmoid(in, count, out); }
void map_sigmoid_double(const double* in, int64_t count, double* out) { map_sigmoid(in, count, out); }
void map_tanh_float(const float* in, int64_t count, float* out) { map_tanh(in, count, out); }
void map_tanh_double(const double* in, int64_t count, double* out) { map_tanh(in, count, out); }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set {

HWY_EXPORT(map_exp_float);
HWY_EXPORT(map_exp_double);
HWY_EXPORT(map_sigmoid_float);
HWY_EXPORT(map_sigmoid_double);
HWY_EXPORT(map_tanh_float);
HWY_EXPORT(map_tanh_double);

namespace testing {
namespace {

constexpr double kMostUnits = 3;  // in the last place

// What a result is compared with: exact enough to take its own error for nothing.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
static_assert(std::numeric_limits<long double>::digits >= std::numeric_limits<double>::digits + 10);

// exp and sigmoid of anything below are 0.
template <typename T>
constexpr T kLeast = std::is_same_v<T, float> ? T(-86.9F) : T(-708);

template <typename T>
struct Function {
  const char* name;
  void (*map)(const T* in, int64_t count, T* out);
  Wide<T> (*exact)(Wide<T> x);
  bool zero_below_least;

  std::vector<T> of(const std::vector<T>& in) const {
    std::vector<T> out(in.size());
    map(in.data(), static_cast<int64_t>(in.size()), out.data());
    return out;
  }
};

template <typename W>
W exact_exp(W x) {
  return std::exp(x);
}

template <typename W>
W exact_sigmoid(W x) {
  const W e = std::exp(-std::abs(x));
  return (x < 0 ? e : W(1)) / (1 + e);
}

template <typename W>
W exact_tanh(W x) {
  return std::tanh(x);
}

template <typename T>
std::vector<Function<T>> functions();

template <>
std::vector<Function<float>> functions() {
  const auto exp = [](const float* in, int64_t count, float* out) {
    HWY_DYNAMIC_DISPATCH(map_exp_float)(in, count, out);
  };
  const auto sigmoid = [](const float* in, int64_t count, float* out) {
    HWY_DYNAMIC_DISPATCH(map_sigmoid_float)(in, count, out);
  };
  const auto tanh = [](const float* in, int64_t count, float* out) {
    HWY_DYNAMIC_DISPATCH(map_tanh_float)(in, count, out);
  };
  return {{"exp", exp, exact_exp, true}, {"sigmoid", sigmoid, exact_sigmoid, true}, {"tanh", tanh, exact_tanh, false}};
}

template <>
std::vector<Function<double>> functions() {
  const auto exp = [](const double* in, int64_t count, double* out) {
    HWY_DYNAMIC_DISPATCH(map_exp_double)(in, count, out);
  };
  const auto sigmoid = [](const double* in, int64_t count, double* out) {
    HWY_DYNAMIC_DISPATCH(map_sigmoid_double)(in, count, out);
  };
  const auto tanh = [](const double* in, int64_t count, double* out) {
    HWY_DYNAMIC_DISPATCH(map_tanh_double)(in, count, out);
  };
  return {{"exp", exp, exact_exp, true}, {"sigmoid", sigmoid, exact_sigmoid, true}, {"tanh", tanh, exact_tanh, false}};
}

// The value and the two next to it on either side.
template <typename T>
void add_around(T value, std::vector<T>& values) {
  const T infinity = std::numeric_limits<T>::infinity();
  const T below = std::nextafter(value, -infinity), above = std::nextafter(value, infinity);
  for (T x : {std::nextafter(below, -infinity), below, value, above, std::nextafter(above, infinity)}) {
    if (std::isfinite(x)) values.push_back(x);
  }
}

// Of all finite numbers every so-many-th, which for float is about every thousandth; many more of those where
// the functions are neither 0 nor 1; and where a result could be expected to go wrong.
template <typename T>
std::vector<T> samples() {
  using Bits = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;
  constexpr int64_t kCount = std::is_same_v<T, float> ? 4'000'000 : 1'000'000;
  std::vector<T> values;
  values.reserve(2 * kCount);
  Bits bits = 0;
  for (int64_t i = 0; i < kCount; ++i, bits += std::numeric_limits<Bits>::max() / kCount | 1) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  for (T range : {T(1), T(20), T(750)}) {
    constexpr int64_t kHalf = kCount / 8;
    for (int64_t i = -kHalf; i < kHalf; ++i) values.push_back(range * static_cast<T>(i) / kHalf);
  }
  using Limits = std::numeric_limits<T>;
  for (T x : {T(0), Limits::denorm_min(), Limits::min(), Limits::epsilon(), Limits::max(), kLeast<T>,
              std::log(Limits::min()), std::log(Limits::max()), T(20), T(40)}) {
    add_around(x, values);
    add_around(-x, values);
  }
  for (int n = -1100; n <= 1100; ++n) add_around(static_cast<T>((n + 0.5L) * std::log(2.0L)), values);
  return values;
}

// How far `got` is from `exact`, in units of the last place of the latter. Infinity counts as the number that
// would follow the largest.
template <typename T>
double units_apart(T got, Wide<T> exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(got)) return HUGE_VAL;
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::clamp(exponent, Limits::min_exponent, Limits::max_exponent);
  const Wide<T> after_largest = std::ldexp(Wide<T>(1), Limits::max_exponent);
  const Wide<T> value = std::isinf(got) ? std::copysign(after_largest, got) : got;
  return static_cast<double>(std::ldexp(std::abs(value - std::min(exact, after_largest)), Limits::digits - exponent));
}

template <typename T>
class VectorMath : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(VectorMath, Types);

TYPED_TEST(VectorMath, IsWithinThreeUnitsInTheLastPlace) {
  using T = TypeParam;
  const std::vector<T> in = samples<T>();
  for (const Function<T>& function : functions<T>()) {
    std::vector<Wide<T>> exact(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      const bool zero = function.zero_below_least && in[i] < kLeast<T>;
      exact[i] = zero ? Wide<T>(0) : function.exact(in[i]);
    }
    for_each_target([&] {
      const std::vector<T> out = function.of(in);
      double worst = 0;
      size_t place = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const double units = units_apart(out[i], exact[i]);
        if (units > worst) worst = units, place = i;
      }
      EXPECT_LE(worst, kMostUnits) << function.name << "(" << in[place] << ") = " << out[place];
    });
  }
}

TYPED_TEST(VectorMath, NanStaysNanAndInfinitiesGoToTheirLimits) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> in = {nan, -nan, infinity, -infinity};
  const std::vector<std::vector<T>> limits = {{infinity, 0}, {1, 0}, {1, -1}};
  for_each_target([&] {
    for (size_t f = 0; f < limits.size(); ++f) {
      const Function<T> function = functions<T>()[f];
      SCOPED_TRACE(function.name);
      const std::vector<T> out = function.of(in);
      EXPECT_TRUE(std::isnan(out[0]));
      EXPECT_TRUE(std::isnan(out[1]));
      EXPECT_EQ(out[2], limits[f][0]);
      EXPECT_EQ(out[3], limits[f][1]);
    }
  });
}

TYPED_TEST(VectorMath, ZeroGivesExactValues) {
  using T = TypeParam;
  const T least = std::numeric_limits<T>::denorm_min();
  const std::vector<T> in = {T(0), -T(0), least, -least};
  for_each_target([&] {
    EXPECT_EQ(functions<T>()[0].of(in), (std::vector<T>(4, T(1))));
    EXPECT_EQ(functions<T>()[1].of(in), (std::vector<T>(4, T(0.5))));
    const std::vector<T> tanh = functions<T>()[2].of(in);
    EXPECT_EQ(tanh, in);
    EXPECT_FALSE(std::signbit(tanh[0]));
    EXPECT_TRUE(std::signbit(tanh[1]));
  });
}

// Whether a result would be a subnormal number is left to nobody's settings of the processor.
TYPED_TEST(VectorMath, NoResultOfExpAndSigmoidIsSubnormal) {
  using T = TypeParam;
  const T next = std::nextafter(kLeast<T>, -std::numeric_limits<T>::infinity());
  const std::vector<T> in = {kLeast<T>, next, std::log(std::numeric_limits<T>::min()) - 1, 2 * kLeast<T>};
  for_each_target([&] {
    for (size_t f = 0; f < 2; ++f) {
      const std::vector<T> out = functions<T>()[f].of(in);
      EXPECT_GE(out[0], std::numeric_limits<T>::min());
      EXPECT_EQ(std::vector<T>(out.begin() + 1, out.end()), std::vector<T>(in.size() - 1, T(0)));
    }
  });
}

// At the end of an array values are computed one by one.
TYPED_TEST(VectorMath, AValueHasTheSameBitsAloneAndInAVector) {
  using T = TypeParam;
  std::vector<T> in;
  for (int i = -1024; i < 1024; ++i) in.push_back(static_cast<T>(i) / 77);
  for_each_target([&] {
    for (const Function<T>& function : functions<T>()) {
      std::vector<T> alone(in.size());
      for (size_t i = 0; i < in.size(); ++i) function.map(&in[i], 1, &alone[i]);
      EXPECT_EQ(function.of(in), alone) << function.name;
    }
  });
}

}  // namespace
}  // namespace testing
}  // namespace otseq2set
#endif  // HWY_ONCE
