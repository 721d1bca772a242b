// A linear layer for a few rows at a time, y = W x + b, whose weights are packed once and used many times.
//
// Every output is one sum over the inputs from first to last, so a row's result does not depend on the rows
// beside it nor on how the outputs are cut into pieces. Weights may be bytes: then the product is int8_linear.h's.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "otseq2set/core/weight_matrix.h"
#include "otseq2set/kernels/int8_linear.h"

namespace otseq2set::inline kernels {

// For float or double.
template <typename T>
class PackedLinear {
 public:
  // weight: [outputs, inputs], bias: [outputs]; both are copied. Bytes are for float alone. read(r) is called now and
  // then, when the first r rows of the weight will not be read again: a layer may be so large that it should not be in
  // memory twice.
  using Read = std::function<void(int64_t rows)>;
  PackedLinear(int64_t outputs, int64_t inputs, const WeightMatrix<T>& weight, const T* bias, const Read& read = {});

  int64_t inputs() const { return inputs_; }
  int64_t outputs() const { return outputs_; }

  // in: `rows` rows of inputs, out: as many of outputs; a stride is the distance from row to row.
  // On all threads.
  void forward(int64_t rows, const T* in, int64_t in_stride, T* out, int64_t out_stride) const;

  // The same for the outputs from `begin`, a multiple of kPiece, to `end`, in the calling thread.
  static constexpr int64_t kPiece = 96;  // whole panels of every instruction set
  void forward_piece(int64_t begin, int64_t end, int64_t rows, const T* in, int64_t in_stride, T* out,
                     int64_t out_stride) const {
    forward_columns(begin, end, rows, in, in_stride, out + begin, out_stride);
  }
  // And again for an `out` that has no other columns.
  void forward_columns(int64_t begin, int64_t end, int64_t rows, const T* in, int64_t in_stride, T* out,
                       int64_t out_stride) const;

 private:
  int64_t outputs_, inputs_;
  std::optional<Int8Linear> int8_;         // if the weights are bytes; otherwise
  hwy::AlignedFreeUniquePtr<T[]> weight_;  // as panel_product-inl.h has it
  std::vector<T> bias_;
};

}  // namespace otseq2set::inline kernels
