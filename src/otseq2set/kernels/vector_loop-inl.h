// A loop over an array of any size, by vectors.
#include <hwy/highway.h>

#include <cstdint>

#if defined(OTSEQ2SET_KERNELS_VECTOR_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OTSEQ2SET_KERNELS_VECTOR_LOOP_INL_H_
#undef OTSEQ2SET_KERNELS_VECTOR_LOOP_INL_H_
#else
#define OTSEQ2SET_KERNELS_VECTOR_LOOP_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(!HWY_HAVE_SCALABLE, "include otseq2set/kernels/vector_targets.h before Highway");

// Calls body(d, j) for whole vectors, then for single values, so that any size works with the same code.
template <typename T, typename Body>
HWY_INLINE void for_each_vector(int64_t count, const Body& body) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes) body(d, j);
  for (; j < count; ++j) body(one, j);
}

}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
