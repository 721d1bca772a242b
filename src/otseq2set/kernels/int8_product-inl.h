// The product of panel_product-inl.h for bytes: weights of -127 .. 127 and rows that are rounded to as many steps, with
// sums of 32 bits, which are exact. So every instruction set gives the same sums, in whatever order it adds.
//
// Weights are packed in panels of 3 vectors of columns, [panel][group][3][lanes][kGroup]: a lane takes a group of
// successive depths at once. With VNNI these are four bytes, of which those of a row must be without sign: they are
// 128 more, and 128 times the sum of the column is taken away afterwards. Elsewhere they are two numbers of 16 bits, which
// weights become when they are loaded. (Pairs of bytes, as vpmaddubsw has them, add up in 16 bits, where two products of
// 255 * 127 do not fit.)
#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "otseq2set/kernels/int8_panels.h"

#if defined(OTSEQ2SET_KERNELS_INT8_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OTSEQ2SET_KERNELS_INT8_PRODUCT_INL_H_
#undef OTSEQ2SET_KERNELS_INT8_PRODUCT_INL_H_
#else
#define OTSEQ2SET_KERNELS_INT8_PRODUCT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Int32Tag = hn::ScalableTag<int32_t>;
using Int32Vector = hn::Vec<Int32Tag>;

#if HWY_TARGET == HWY_AVX3_DL
using Int8In = uint8_t;  // a value of a row
constexpr int64_t kGroup = 4;
constexpr int32_t kOffset = 128;
#else
using Int8In = int16_t;
constexpr int64_t kGroup = 2;
constexpr int32_t kOffset = 0;
#endif

constexpr int64_t kInt8Lanes = static_cast<int64_t>(hn::MaxLanes(Int32Tag()));
constexpr int64_t kInt8Vectors = 3, kInt8Columns = kInt8Vectors * kInt8Lanes;
// Beside the sums, registers hold three vectors of weights, a group of a row, and their product: of 16 registers, 9 for
// sums. (With 12 the compiler keeps one of them in memory, and every round waits for it.)
constexpr int64_t kInt8TileRows = HWY_MAX_BYTES == 64 || HWY_ARCH_ARM_A64 ? 8 : 3, kInt8TilePanels = 4;
constexpr int64_t kStepBytes = kInt8Columns * kGroup;  // of a panel at one group of depths

constexpr int64_t groups_of(int64_t depth) { return (depth + kGroup - 1) / kGroup; }

#if HWY_TARGET == HWY_SCALAR
// Without vectors.
struct Pair {
  int32_t first, second;
};
HWY_INLINE Pair left_group(const int16_t* from) { return {from[0], from[1]}; }
HWY_INLINE Pair right_group(const int8_t* from) { return {from[0], from[1]}; }
HWY_INLINE Int32Vector add_products(Pair left, Pair right, Int32Vector sums) {
  return hn::Set(Int32Tag(), hn::GetLane(sums) + left.first * right.first + left.second * right.second);
}
#else

// The group of a row at `from`, in every lane.
HWY_INLINE auto left_group(const Int8In* from) {
  int32_t group;
  std::memcpy(&group, from, sizeof(group));
  return hn::BitCast(hn::Repartition<Int8In, Int32Tag>(), hn::Set(Int32Tag(), group));
}

#if HWY_TARGET == HWY_AVX3_DL
HWY_INLINE auto right_group(const int8_t* from) { return hn::Load(hn::Repartition<int8_t, Int32Tag>(), from); }

template <class L, class R>
HWY_INLINE Int32Vector add_products(L left, R right, Int32Vector sums) {
  // Not the intrinsic: Highway 1.0 compiles for this target without telling the compiler that it has VNNI.
  asm("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(left.raw), "vm"(right.raw));
  return sums;
}
#else
HWY_INLINE auto right_group(const int8_t* from) {
  const hn::Repartition<int16_t, Int32Tag> wide;
  return hn::PromoteTo(wide, hn::Load(hn::Rebind<int8_t, decltype(wide)>(), from));
}

template <class V>
HWY_INLINE Int32Vector add_products(V left, V right, Int32Vector sums) {
#if HWY_TARGET == HWY_AVX3
  const Int32Vector pairs{_mm512_madd_epi16(left.raw, right.raw)};
#elif HWY_TARGET == HWY_AVX2
  const Int32Vector pairs{_mm256_madd_epi16(left.raw, right.raw)};
#elif HWY_TARGET == HWY_SSE4 || (defined(HWY_SSE2) && HWY_TARGET == HWY_SSE2)
  const Int32Vector pairs{_mm_madd_epi16(left.raw, right.raw)};
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  const int32x4_t low = vmull_s16(vget_low_s16(left.raw), vget_low_s16(right.raw));
  const Int32Vector pairs{vpaddq_s32(low, vmull_high_s16(left.raw, right.raw))};
#else
  const Int32Tag d;
  const auto a = hn::BitCast(d, left), b = hn::BitCast(d, right);
  const auto low = [](Int32Vector v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const auto high = [](Int32Vector v) HWY_ATTR { return hn::ShiftRight<16>(v); };
  const Int32Vector pairs = hn::Add(hn::Mul(low(a), low(b)), hn::Mul(high(a), high(b)));
#endif
  return hn::Add(sums, pairs);
}
#endif
#endif  // HWY_SCALAR

// column(c, &scale) points to `depth` bytes, or is null for a column of zeros.
template <class Column>
Int8Panels pack_int8(int64_t depth, int64_t panels, const Column& column) {
  if (depth > kMostInt8Inputs) throw std::invalid_argument("too many inputs for a product of bytes");
  const int64_t groups = groups_of(depth);
  Int8Panels packed(panels, groups * kStepBytes, kInt8Columns);
  for (int64_t c = 0; c < panels * kInt8Columns; ++c) {
    float scale = 0;
    const int8_t* from = column(c, scale);
    if (from == nullptr) continue;
    int8_t* to = packed.bytes.get() + c / kInt8Columns * groups * kStepBytes + c % kInt8Columns * kGroup;
    int32_t sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      to[k / kGroup * kStepBytes + k % kGroup] = from[k];
      sum += from[k];
    }
    packed.scales[c] = scale;
    packed.sums[c] = kOffset * sum;
  }
  return packed;
}

// Some rows and panels: sums [panel][row][3][lanes].
struct Int8Tile {
  int64_t groups;
  const Int8In* rows;
  int64_t stride;  // from row to row
  const int8_t* panels;
  int32_t* sums;

  Int8Tile skip(int64_t count, int64_t height) const {
    return {groups, rows, stride, panels + count * groups * kStepBytes, sums + count * height * kInt8Columns};
  }
};

// kSum numbers the sums in the order of the tile.
template <int kRows, size_t... kSum>
HWY_INLINE void run_int8_tile(const Int8Tile& tile, std::index_sequence<kSum...>) {
  const Int32Tag d;
  const int64_t stride = tile.stride, panel_size = tile.groups * kStepBytes;
  const Int8In* HWY_RESTRICT rows = tile.rows;
  const int8_t* HWY_RESTRICT panels = tile.panels;
  Int32Vector sums[] = {(static_cast<void>(kSum), hn::Zero(d))...};
  for (int64_t group = 0; group < tile.groups; ++group, rows += kGroup, panels += kStepBytes) {
    const auto left = [&](size_t sum) HWY_ATTR { return left_group(rows + sum / kInt8Vectors % kRows * stride); };
    const auto right = [&](size_t sum) HWY_ATTR {
      const size_t panel = sum / (kInt8Vectors * kRows), vector = sum % kInt8Vectors;
      return right_group(panels + panel * panel_size + vector * kInt8Lanes * kGroup);
    };
    ((sums[kSum] = add_products(left(kSum), right(kSum), sums[kSum])), ...);
  }
  (hn::Store(sums[kSum], d, tile.sums + kSum * kInt8Lanes), ...);
}

// As many panels at once as registers hold.
template <int kRows>
HWY_NOINLINE void run_int8_rows(Int8Tile tile, int64_t panels) {
  constexpr int64_t kAtOnce = std::min(kInt8TilePanels, kInt8TileRows / kRows);
  for (; panels >= kAtOnce; panels -= kAtOnce, tile = tile.skip(kAtOnce, kRows)) {
    run_int8_tile<kRows>(tile, std::make_index_sequence<kAtOnce * kRows * kInt8Vectors>());
  }
  for (; panels > 0; --panels, tile = tile.skip(1, kRows)) {
    run_int8_tile<kRows>(tile, std::make_index_sequence<kRows * kInt8Vectors>());
  }
}

// rows: 1 to kInt8TileRows
template <int kRows = kInt8TileRows>
HWY_INLINE void run_int8(const Int8Tile& tile, int64_t rows, int64_t panels) {
  if (rows == kRows) {
    run_int8_rows<kRows>(tile, panels);
  } else if constexpr (kRows > 1) {
    run_int8<kRows - 1>(tile, rows, panels);
  }
}

// What a vector of sums stands for, of the columns from `column` on and of a row of this scale.
HWY_INLINE auto scaled_sums(const int32_t* sums, const Int8Panels& panels, int64_t column, float row_scale) {
  const hn::ScalableTag<float> d;
  const Int32Tag di;
  auto exact = hn::Load(di, sums);
  if constexpr (kOffset != 0) exact = hn::Sub(exact, hn::Load(di, panels.sums.get() + column));
  const auto factor = hn::Mul(hn::Set(d, row_scale), hn::Load(d, panels.scales.get() + column));
  return hn::Mul(hn::ConvertTo(d, exact), factor);
}

HWY_INLINE void store_steps(const Int32Vector steps, Int8In* to) {
  const hn::Rebind<Int8In, Int32Tag> narrow;
  hn::StoreU(hn::DemoteTo(narrow, hn::Add(steps, hn::Set(Int32Tag(), kOffset))), narrow, to);
}

// Rounds a row to steps of its largest size / 127, ties to even, and fills it up to whole groups; returns the step.
HWY_INLINE float quantise_row(int64_t width, const float* from, Int8In* to) {
  constexpr float kLeast = 1e-30F;  // of a smaller row nothing is kept: 127 / largest would be infinite
  const hn::ScalableTag<float> d;
  auto most = hn::Zero(d);
  int64_t k = 0;
  for (; k + kInt8Lanes <= width; k += kInt8Lanes) most = hn::Max(most, hn::Abs(hn::LoadU(d, from + k)));
  float largest = hn::GetLane(hn::MaxOfLanes(d, most));
  for (; k < width; ++k) largest = std::max(largest, std::abs(from[k]));
  const float factor = largest > kLeast ? 127 / largest : 0.0F;
  for (k = 0; k + kInt8Lanes <= width; k += kInt8Lanes) {
    store_steps(hn::NearestInt(hn::Mul(hn::LoadU(d, from + k), hn::Set(d, factor))), to + k);
  }
  for (; k < width; ++k) to[k] = static_cast<Int8In>(static_cast<int32_t>(std::nearbyint(from[k] * factor)) + kOffset);
  for (; k < groups_of(width) * kGroup; ++k) to[k] = static_cast<Int8In>(kOffset);
  return largest > kLeast ? largest / 127 : 0.0F;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
