// exp, sigmoid and tanh of vectors, ours (fused) against those that come with Highway (plain), on every
// instruction set that the machine has: 4096 numbers, which stay in the nearest cache.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector_math_bench.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Behind foreach_target.h, like everything that is compiled for each target.
#include <hwy/contrib/math/math-inl.h>

#include "otseq2set/kernels/vector_loop-inl.h"
#include "otseq2set/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace otseq2set {
namespace HWY_NAMESPACE {

// The way that does not overflow, as ours.
template <class D, class V>
HWY_INLINE V sigmoid_of_exp(D d, V x) {
  const V one = hn::Set(d, 1.0F), e = hn::Exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

void our_exp(const float* in, int64_t count, float* out) {
  for_each_vector<float>(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(vector_exp(d, hn::LoadU(d, in + i)), d, out + i); });
}
void our_sigmoid(const float* in, int64_t count, float* out) {
  for_each_vector<float>(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(vector_sigmoid(d, hn::LoadU(d, in + i)), d, out + i); });
}
void our_tanh(const float* in, int64_t count, float* out) {
  for_each_vector<float>(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(vector_tanh(d, hn::LoadU(d, in + i)), d, out + i); });
}
void highway_exp(const float* in, int64_t count, float* out) {
  for_each_vector<float>(count,
                         [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(hn::Exp(d, hn::LoadU(d, in + i)), d, out + i); });
}
void highway_sigmoid(const float* in, int64_t count, float* out) {
  for_each_vector<float>(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(sigmoid_of_exp(d, hn::LoadU(d, in + i)), d, out + i); });
}
void highway_tanh(const float* in, int64_t count, float* out) {
  for_each_vector<float>(
      count, [&](auto d, int64_t i) HWY_ATTR { hn::StoreU(hn::Tanh(d, hn::LoadU(d, in + i)), d, out + i); });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set {

HWY_EXPORT(our_exp);
HWY_EXPORT(our_sigmoid);
HWY_EXPORT(our_tanh);
HWY_EXPORT(highway_exp);
HWY_EXPORT(highway_sigmoid);
HWY_EXPORT(highway_tanh);

namespace {

enum Function { kOurExp, kOurSigmoid, kOurTanh, kHighwayExp, kHighwaySigmoid, kHighwayTanh };

void map(Function function, const std::vector<float>& in, std::vector<float>& out) {
  const auto count = static_cast<int64_t>(in.size());
  switch (function) {
    case kOurExp: return HWY_DYNAMIC_DISPATCH(our_exp)(in.data(), count, out.data());
    case kOurSigmoid: return HWY_DYNAMIC_DISPATCH(our_sigmoid)(in.data(), count, out.data());
    case kOurTanh: return HWY_DYNAMIC_DISPATCH(our_tanh)(in.data(), count, out.data());
    case kHighwayExp: return HWY_DYNAMIC_DISPATCH(highway_exp)(in.data(), count, out.data());
    case kHighwaySigmoid: return HWY_DYNAMIC_DISPATCH(highway_sigmoid)(in.data(), count, out.data());
    case kHighwayTanh: return HWY_DYNAMIC_DISPATCH(highway_tanh)(in.data(), count, out.data());
  }
}

void run(benchmark::State& state, int64_t target, Function function, Function other) {
  constexpr int64_t kCount = 4096;
  std::vector<float> in(kCount), out(kCount), expected(kCount);
  for (int64_t i = 0; i < kCount; ++i) in[i] = static_cast<float>(i * 2654435761 % kCount) / 256 - 8;
  hwy::SetSupportedTargetsForTest(target);
  map(function, in, out);
  map(other, in, expected);
  for (int64_t i = 0; i < kCount; ++i) {
    if (std::abs(out[i] - expected[i]) > 1e-6F * std::abs(expected[i])) state.SkipWithError("they differ");
  }
  for (auto _ : state) {
    map(function, in, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  hwy::SetSupportedTargetsForTest(0);
}

const bool kRegistered = [] {
  const auto add = [](const std::string& name, int64_t target, Function ours, Function highways) {
    const std::string whole = "vector_" + name + "/" + hwy::TargetName(target);
    benchmark::RegisterBenchmark((whole + "/fused").c_str(), run, target, ours, highways);
    benchmark::RegisterBenchmark((whole + "/plain").c_str(), run, target, highways, ours);
  };
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    add("exp", target, kOurExp, kHighwayExp);
    add("sigmoid", target, kOurSigmoid, kHighwaySigmoid);
    add("tanh", target, kOurTanh, kHighwayTanh);
  }
  return true;
}();

}  // namespace
}  // namespace otseq2set
#endif  // HWY_ONCE
