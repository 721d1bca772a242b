#include "otseq2set/kernels/label_lanes.h"

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/label_lanes.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kAhead = 12;  // features whose weights are fetched before they are needed

HWY_INLINE void fetch_ahead(const SparseRow& row, int64_t i, const float* weights) {
  if (i + kAhead < row.size) hwy::Prefetch(weights + kLabelLanes * row.features[i + kAhead]);
}

void products_any(const SparseRow& row, const float* weights, float* products) {
  const hn::CappedTag<float, kLabelLanes> d;
  constexpr int64_t kVectors = kLabelLanes / hn::MaxLanes(d);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // Sums of even and of odd places, which do not wait for each other.
  decltype(hn::Zero(d)) even[kVectors], odd[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) even[v] = odd[v] = hn::Zero(d);
  int64_t i = 0;
  for (; i + 2 <= row.size; i += 2) {
    fetch_ahead(row, i, weights);
    fetch_ahead(row, i + 1, weights);
    const float* first = weights + kLabelLanes * row.features[i];
    const float* second = weights + kLabelLanes * row.features[i + 1];
    const auto x = hn::Set(d, row.values[i]), y = hn::Set(d, row.values[i + 1]);
    for (int64_t v = 0; v < kVectors; ++v) {
      even[v] = hn::MulAdd(x, hn::Load(d, first + v * lanes), even[v]);
      odd[v] = hn::MulAdd(y, hn::Load(d, second + v * lanes), odd[v]);
    }
  }
  for (int64_t v = 0; v < kVectors; ++v) {
    if (i < row.size) {
      const float* last = weights + kLabelLanes * row.features[i];
      even[v] = hn::MulAdd(hn::Set(d, row.values[i]), hn::Load(d, last + v * lanes), even[v]);
    }
    hn::StoreU(hn::Add(even[v], odd[v]), d, products + v * lanes);
  }
}

void add_any(const SparseRow& row, const float* factors, float* weights) {
  const hn::CappedTag<float, kLabelLanes> d;
  constexpr int64_t kVectors = kLabelLanes / hn::MaxLanes(d);
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  decltype(hn::Zero(d)) factor[kVectors];
  for (int64_t v = 0; v < kVectors; ++v) factor[v] = hn::LoadU(d, factors + v * lanes);
  for (int64_t i = 0; i < row.size; ++i) {
    float* own = weights + kLabelLanes * row.features[i];
    const auto x = hn::Set(d, row.values[i]);
    for (int64_t v = 0; v < kVectors; ++v) {
      hn::Store(hn::MulAdd(x, factor[v], hn::Load(d, own + v * lanes)), d, own + v * lanes);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(products_any);
HWY_EXPORT(add_any);

void lane_products(const SparseRow& row, const float* weights, float* products) {
  HWY_DYNAMIC_DISPATCH(products_any)(row, weights, products);
}

void lane_add(const SparseRow& row, const float* factors, float* weights) {
  HWY_DYNAMIC_DISPATCH(add_any)(row, factors, weights);
}

}  // namespace otseq2set::inline kernels
#endif
