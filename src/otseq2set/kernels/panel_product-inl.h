// A matrix product against a matrix that was packed once and is used many times: the recurrent weights at
// every word, the decoder's at every step. BLAS packs it anew at each call, which for a few rows costs more
// than the product.
//
//   c[rows, columns] = a[rows, depth] b[depth, columns]
//
// b is packed into panels of 3 vectors of columns, [panel][depth][3][lanes]; columns that b does not have are
// 0. As many rows are computed at once, or panels of fewer rows, as registers hold sums: 4 rows by 3 vectors
// with 16 registers, 8 by 3 with 32 (AVX-512, NEON). Every element is one sum over the depth from first to
// last, whatever is computed beside it, so a row's result does not depend on how many rows there are.
#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#if defined(OTSEQ2SET_KERNELS_PANEL_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OTSEQ2SET_KERNELS_PANEL_PRODUCT_INL_H_
#undef OTSEQ2SET_KERNELS_PANEL_PRODUCT_INL_H_
#else
#define OTSEQ2SET_KERNELS_PANEL_PRODUCT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(!HWY_HAVE_SCALABLE, "include otseq2set/kernels/vector_targets.h before Highway");

// AVX-512 and NEON have 32 registers.
constexpr bool kManyRegisters = HWY_MAX_BYTES == 64 || HWY_ARCH_ARM_A64;
constexpr int64_t kPanelVectors = 3, kTileRows = kManyRegisters ? 8 : 4, kTilePanels = 4;

template <typename T>
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));

template <typename T>
constexpr int64_t kPanelColumns = kPanelVectors* kLanes<T>;

template <typename T>
constexpr int64_t panels_of(int64_t columns) {
  return (columns + kPanelColumns<T> - 1) / kPanelColumns<T>;
}

template <typename T>
using Panels = hwy::AlignedFreeUniquePtr<T[]>;

template <typename T>
Panels<T> allocate_panels(int64_t size) {
  Panels<T> panels = hwy::AllocateAligned<T>(size);
  if (panels == nullptr) throw std::bad_alloc();
  return panels;
}

// Packs b, of which row k starts at b + k * columns.
template <typename T>
Panels<T> pack_panels(int64_t depth, int64_t columns, const T* b) {
  constexpr int64_t kWidth = kPanelColumns<T>;
  Panels<T> packed = allocate_panels<T>(panels_of<T>(columns) * depth * kWidth);
  T* to = packed.get();
  for (int64_t begin = 0; begin < columns; begin += kWidth) {
    const int64_t count = std::min(kWidth, columns - begin);
    for (int64_t k = 0; k < depth; ++k, to += kWidth) {
      std::copy_n(b + k * columns + begin, count, to);
      std::fill(to + count, to + kWidth, T{0});
    }
  }
  return packed;
}

// Packs b given by its columns: column(c) points to depth values, or is null for a column of zeros.
// packed_up_to(c) is called when all columns before c have been read for the last time.
template <typename T, class Column, class Packed>
Panels<T> pack_columns(int64_t depth, int64_t panels, const Column& column, const Packed& packed_up_to) {
  constexpr int64_t kWidth = kPanelColumns<T>;
  constexpr int64_t kPiece = 64;  // so many values of all columns fit in the nearest cache
  Panels<T> packed = allocate_panels<T>(panels * depth * kWidth);
  for (int64_t panel = 0; panel < panels; ++panel) {
    T* to = packed.get() + panel * depth * kWidth;
    for (int64_t begin = 0; begin < depth; begin += kPiece) {
      for (int64_t i = 0; i < kWidth; ++i) {
        const T* from = column(panel * kWidth + i);
        const int64_t end = std::min(begin + kPiece, depth);
        for (int64_t k = begin; k < end; ++k) to[k * kWidth + i] = from != nullptr ? from[k] : T{0};
      }
    }
    packed_up_to((panel + 1) * kWidth);
  }
  return packed;
}

template <typename T, class Column>
Panels<T> pack_columns(int64_t depth, int64_t panels, const Column& column) {
  return pack_columns<T>(depth, panels, column, [](int64_t) {});
}

// One product of some rows of a with some panels, into tiles [panel][row][3][lanes].
template <typename T>
struct TileProduct {
  int64_t depth;
  const T* a;
  int64_t stride;  // from row to row of a
  const T* panels;
  T* tiles;

  TileProduct skip(int64_t count, int64_t rows) const {
    const int64_t size = count * depth * kPanelColumns<T>;
    return {depth, a, stride, panels + size, tiles + count * rows * kPanelColumns<T>};
  }
};

// kSum numbers the sums in the order of the tiles.
template <int kRows, typename T, size_t... kSum>
HWY_INLINE void run_tile(const TileProduct<T>& tile, std::index_sequence<kSum...>) {
  constexpr int64_t kWidth = kPanelColumns<T>;
  const hn::ScalableTag<T> d;
  const int64_t depth = tile.depth, stride = tile.stride;
  const T* HWY_RESTRICT a = tile.a;
  const T* HWY_RESTRICT panels = tile.panels;
  hn::Vec<decltype(d)> sums[] = {(static_cast<void>(kSum), hn::Zero(d))...};
  for (int64_t k = 0; k < depth; ++k) {
    const auto left = [&](size_t sum) HWY_ATTR { return hn::Set(d, a[sum / kPanelVectors % kRows * stride + k]); };
    const auto right = [&](size_t sum) HWY_ATTR {
      const size_t panel = sum / (kPanelVectors * kRows), vector = sum % kPanelVectors;
      return hn::Load(d, panels + (panel * depth + k) * kWidth + vector * kLanes<T>);
    };
    ((sums[kSum] = hn::MulAdd(left(kSum), right(kSum), sums[kSum])), ...);
  }
  (hn::Store(sums[kSum], d, tile.tiles + kSum * kLanes<T>), ...);
}

// As many panels at once as registers hold.
template <int kRows, typename T>
HWY_NOINLINE void run_rows(TileProduct<T> tile, int64_t panels) {
  constexpr int64_t kAtOnce = std::min(kTilePanels, kTileRows / kRows);
  for (; panels >= kAtOnce; panels -= kAtOnce, tile = tile.skip(kAtOnce, kRows)) {
    run_tile<kRows>(tile, std::make_index_sequence<kAtOnce * kRows * kPanelVectors>());
  }
  for (; panels > 0; --panels, tile = tile.skip(1, kRows)) {
    run_tile<kRows>(tile, std::make_index_sequence<kRows * kPanelVectors>());
  }
}

// rows: 1 to kTileRows
template <int kRows = kTileRows, typename T>
HWY_INLINE void run_tiles(const TileProduct<T>& tile, int64_t rows, int64_t panels) {
  if (rows == kRows) {
    run_rows<kRows>(tile, panels);
  } else if constexpr (kRows > 1) {
    run_tiles<kRows - 1>(tile, rows, panels);
  }
}

// A piece of the product: `values` [panels][rows][3][lanes].
template <typename T>
struct PanelBlock {
  int64_t first_row, rows, first_panel, panels;
  const T* values;
};

// The product, handed on piece by piece while it is in the nearest cache: use(PanelBlock) until every row and
// panel has come.
template <typename T, class Use>
HWY_INLINE void panel_product(int64_t rows, int64_t depth, int64_t panels, const T* a, int64_t stride, const T* packed,
                              const Use& use) {
  HWY_ALIGN T tiles[kTilePanels * kTileRows * kPanelColumns<T>];
  for (int64_t panel = 0; panel < panels; panel += kTilePanels) {
    const int64_t count = std::min(kTilePanels, panels - panel);
    const T* here = packed + panel * depth * kPanelColumns<T>;
    for (int64_t row = 0; row < rows; row += kTileRows) {
      const int64_t height = std::min(kTileRows, rows - row);
      run_tiles(TileProduct<T>{depth, a + row * stride, stride, here, tiles}, height, count);
      use(PanelBlock<T>{row, height, panel, count, tiles});
    }
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
