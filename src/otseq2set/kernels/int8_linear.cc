#include "otseq2set/kernels/int8_linear.h"

#include <algorithm>
#include <cmath>

#include "otseq2set/kernels/int8_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/int8_linear.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/int8_product-inl.h"

#ifndef OTSEQ2SET_KERNELS_INT8_LINEAR_CC_
#define OTSEQ2SET_KERNELS_INT8_LINEAR_CC_
namespace otseq2set::inline kernels {

// The outputs from `begin` to `end` of some rows.
struct Int8Piece {
  int64_t begin, end, inputs;
  const Int8Rows& rows;
  const Int8Panels& weight;
  const float* bias;  // of all outputs
  float* out;         // [rows, end - begin]
  int64_t out_stride;
};

}  // namespace otseq2set::inline kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

static_assert(Int8Linear::kPiece % kInt8Columns == 0, "a piece is made of whole panels");

Int8Panels pack_layer(int64_t outputs, int64_t inputs, const WeightMatrix<float>& weight) {
  const auto column = [&](int64_t output, float& scale) -> const int8_t* {
    if (output >= outputs) return nullptr;
    scale = weight.scales[output];
    return weight.bytes + output * inputs;
  };
  return pack_int8(inputs, (outputs + kInt8Columns - 1) / kInt8Columns, column);
}

// sums: of one row and the panel whose first column is `first`
HWY_INLINE void store_panel(const Int8Piece& piece, int64_t row, int64_t first, const int32_t* sums) {
  const hn::ScalableTag<float> d;
  float* out = piece.out + row * piece.out_stride;
  const int64_t end = std::min(first + kInt8Columns, piece.end);
  for (int64_t column = first; column < end; column += kInt8Lanes, sums += kInt8Lanes) {
    const auto values = scaled_sums(sums, piece.weight, column, piece.rows.scales[row]);
    if (column + kInt8Lanes <= end) {
      hn::StoreU(hn::Add(values, hn::LoadU(d, piece.bias + column)), d, out + (column - piece.begin));
    } else {
      HWY_ALIGN float part[kInt8Lanes];
      hn::Store(values, d, part);
      for (int64_t i = 0; i < end - column; ++i) out[column - piece.begin + i] = part[i] + piece.bias[column + i];
    }
  }
}

void forward_layer(const Int8Piece& piece) {
  HWY_ALIGN int32_t sums[kInt8TilePanels * kInt8TileRows * kInt8Columns];
  const int64_t groups = groups_of(piece.inputs), stride = groups * kGroup;
  const auto* rows = reinterpret_cast<const Int8In*>(piece.rows.steps.get());
  const int64_t last = (piece.end + kInt8Columns - 1) / kInt8Columns;
  for (int64_t panel = piece.begin / kInt8Columns; panel < last; panel += kInt8TilePanels) {
    const int64_t count = std::min(kInt8TilePanels, last - panel);
    const int8_t* panels = piece.weight.bytes.get() + panel * groups * kStepBytes;
    for (int64_t row = 0; row < piece.rows.count; row += kInt8TileRows) {
      const int64_t height = std::min(kInt8TileRows, piece.rows.count - row);
      run_int8({groups, rows + row * stride, stride, panels, sums}, height, count);
      const int32_t* own = sums;
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < height; ++j, own += kInt8Columns) {
          store_panel(piece, row + j, (panel + i) * kInt8Columns, own);
        }
      }
    }
  }
}

int64_t row_size(int64_t width) { return groups_of(width) * kGroup; }

Int8Rows empty_rows(int64_t rows, int64_t width) {
  const int64_t row_bytes = row_size(width) * static_cast<int64_t>(sizeof(Int8In));
  return {rows, row_bytes, hwy::AllocateAligned<uint8_t>(std::max<int64_t>(rows * row_bytes, 1)),
          std::vector<float>(rows)};
}

Int8Rows quantise(int64_t rows, int64_t width, const float* in, int64_t stride) {
  Int8Rows result = empty_rows(rows, width);
  auto* steps = reinterpret_cast<Int8In*>(result.steps.get());
  for (int64_t row = 0; row < rows; ++row) {
    result.scales[row] = quantise_row(width, in + row * stride, steps + row * row_size(width));
  }
  return result;
}

Int8Rows take_rows(const int8_t* table, const float* scales, int64_t width, Span<const int32_t> numbers) {
  Int8Rows result = empty_rows(static_cast<int64_t>(numbers.size()), width);
  auto* to = reinterpret_cast<Int8In*>(result.steps.get());
  for (size_t row = 0; row < numbers.size(); ++row, to += row_size(width)) {
    const int8_t* from = table + numbers[row] * width;
    for (int64_t k = 0; k < width; ++k) to[k] = static_cast<Int8In>(from[k] + kOffset);
    std::fill(to + width, to + row_size(width), static_cast<Int8In>(kOffset));
    result.scales[row] = scales[numbers[row]];
  }
  return result;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(pack_layer);
HWY_EXPORT(forward_layer);
HWY_EXPORT(quantise);
HWY_EXPORT(take_rows);

Int8Linear::Int8Linear(int64_t outputs, int64_t inputs, const WeightMatrix<float>& weight, const float* bias)
    : inputs_(inputs),
      weight_(HWY_DYNAMIC_DISPATCH(pack_layer)(outputs, inputs, weight)),
      bias_(bias, bias + outputs) {}

void Int8Linear::forward_piece(int64_t begin, int64_t end, const Int8Rows& rows, float* out, int64_t out_stride) const {
  HWY_DYNAMIC_DISPATCH(forward_layer)({begin, end, inputs_, rows, weight_, bias_.data(), out, out_stride});
}

Int8Rows quantised_rows(int64_t rows, int64_t width, const float* in, int64_t stride) {
  return HWY_DYNAMIC_DISPATCH(quantise)(rows, width, in, stride);
}

Int8Rows table_rows(const int8_t* table, const float* scales, int64_t width, Span<const int32_t> numbers) {
  return HWY_DYNAMIC_DISPATCH(take_rows)(table, scales, width, numbers);
}

void quantise_matrix(int64_t rows, int64_t width, const float* values, int8_t* bytes, float* scales) {
  for (int64_t row = 0; row < rows; ++row, values += width, bytes += width) {
    float largest = 0;
    for (int64_t k = 0; k < width; ++k) largest = std::max(largest, std::abs(values[k]));
    scales[row] = largest / 127;
    for (int64_t k = 0; k < width; ++k) {
      bytes[k] = largest == 0 ? int8_t{0} : static_cast<int8_t>(std::nearbyint(double{values[k]} / largest * 127));
    }
  }
}

}  // namespace otseq2set::inline kernels
#endif
