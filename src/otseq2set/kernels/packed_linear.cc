#include "otseq2set/kernels/packed_linear.h"

#include <algorithm>
#include <type_traits>

#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/packed_linear.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/panel_product-inl.h"

#ifndef OTSEQ2SET_KERNELS_PACKED_LINEAR_CC_
#define OTSEQ2SET_KERNELS_PACKED_LINEAR_CC_
namespace otseq2set::inline kernels {

// A piece of the layer for some rows.
template <typename T>
struct LinearPiece {
  int64_t rows, inputs, outputs;
  const T* in;
  int64_t in_stride;
  const T *weight, *bias;
  T* out;
  int64_t out_stride;
};

}  // namespace otseq2set::inline kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

static_assert(PackedLinear<float>::kPiece % kPanelColumns<float> == 0, "a piece is made of whole panels");

using Read = std::function<void(int64_t rows)>;

template <typename T>
Panels<T> pack_any(int64_t outputs, int64_t inputs, const T* weight, const Read& read) {
  return pack_columns<T>(
      inputs, panels_of<T>(outputs),
      [&](int64_t output) { return output < outputs ? weight + output * inputs : nullptr; },
      [&](int64_t rows) {
        if (read) read(std::min(rows, outputs));
      });
}

// values [panel][row][columns of a panel] + bias -> out
template <typename T>
HWY_INLINE void store_block(const LinearPiece<T>& piece, const PanelBlock<T>& block) {
  const hn::ScalableTag<T> d;
  const T* values = block.values;
  for (int64_t panel = block.first_panel; panel < block.first_panel + block.panels; ++panel) {
    const int64_t first = panel * kPanelColumns<T>;
    const int64_t count = std::min(kPanelColumns<T>, piece.outputs - first);
    for (int64_t row = 0; row < block.rows; ++row, values += kPanelColumns<T>) {
      T* out = piece.out + (block.first_row + row) * piece.out_stride + first;
      int64_t i = 0;
      for (; i + kLanes<T> <= count; i += kLanes<T>) {
        hn::StoreU(hn::Add(hn::Load(d, values + i), hn::LoadU(d, piece.bias + first + i)), d, out + i);
      }
      for (; i < count; ++i) out[i] = values[i] + piece.bias[first + i];
    }
  }
}

template <typename T>
void forward_any(const LinearPiece<T>& piece) {
  panel_product(piece.rows, piece.inputs, panels_of<T>(piece.outputs), piece.in, piece.in_stride, piece.weight,
                [&](const PanelBlock<T>& block) HWY_ATTR { store_block(piece, block); });
}

Panels<float> pack_float(int64_t outputs, int64_t inputs, const float* weight, const Read& read) {
  return pack_any(outputs, inputs, weight, read);
}
Panels<double> pack_double(int64_t outputs, int64_t inputs, const double* weight, const Read& read) {
  return pack_any(outputs, inputs, weight, read);
}
void forward_float(const LinearPiece<float>& piece) { forward_any(piece); }
void forward_double(const LinearPiece<double>& piece) { forward_any(piece); }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(pack_float);
HWY_EXPORT(pack_double);
HWY_EXPORT(forward_float);
HWY_EXPORT(forward_double);

namespace {

using Read = std::function<void(int64_t rows)>;

auto pack(int64_t outputs, int64_t inputs, const float* weight, const Read& read) {
  return HWY_DYNAMIC_DISPATCH(pack_float)(outputs, inputs, weight, read);
}
auto pack(int64_t outputs, int64_t inputs, const double* weight, const Read& read) {
  return HWY_DYNAMIC_DISPATCH(pack_double)(outputs, inputs, weight, read);
}
void run(const LinearPiece<float>& piece) { HWY_DYNAMIC_DISPATCH(forward_float)(piece); }
void run(const LinearPiece<double>& piece) { HWY_DYNAMIC_DISPATCH(forward_double)(piece); }

}  // namespace

template <typename T>
PackedLinear<T>::PackedLinear(int64_t outputs, int64_t inputs, const WeightMatrix<T>& weight, const T* bias,
                              const Read& read)
    : outputs_(outputs), inputs_(inputs) {
  if constexpr (std::is_same_v<T, float>) {
    if (weight.quantised()) {
      int8_.emplace(outputs, inputs, weight, bias);
      return;
    }
  }
  weight_ = pack(outputs, inputs, weight.values, read);
  bias_.assign(bias, bias + outputs);
}

template <typename T>
void PackedLinear<T>::forward_columns(int64_t begin, int64_t end, int64_t rows, const T* in, int64_t in_stride, T* out,
                                      int64_t out_stride) const {
  if constexpr (std::is_same_v<T, float>) {
    if (int8_) return int8_->forward_piece(begin, end, quantised_rows(rows, inputs_, in, in_stride), out, out_stride);
  }
  // Whole panels before `begin` hold as many values as the rows of the weight that they were made of.
  run(LinearPiece<T>{rows, inputs_, end - begin, in, in_stride, weight_.get() + begin * inputs_, bias_.data() + begin,
                     out, out_stride});
}

template <typename T>
void PackedLinear<T>::forward(int64_t rows, const T* in, int64_t in_stride, T* out, int64_t out_stride) const {
  const auto for_each_piece = [&](const auto& compute) {
    parallel_for((outputs_ + kPiece - 1) / kPiece,
                 [&](int64_t piece) { compute(piece * kPiece, std::min((piece + 1) * kPiece, outputs_)); });
  };
  if constexpr (std::is_same_v<T, float>) {
    if (int8_) {
      const Int8Rows steps = quantised_rows(rows, inputs_, in, in_stride);
      for_each_piece(
          [&](int64_t begin, int64_t end) { int8_->forward_piece(begin, end, steps, out + begin, out_stride); });
      return;
    }
  }
  for_each_piece([&](int64_t begin, int64_t end) { forward_piece(begin, end, rows, in, in_stride, out, out_stride); });
}

template class PackedLinear<float>;
template class PackedLinear<double>;

}  // namespace otseq2set::inline kernels
#endif
