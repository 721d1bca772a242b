// A linear layer for a few rows at a time, y = W x + b, whose weights are packed once and used many times.
//
// Every output is one sum over the inputs from first to last, so a row's result does not depend on the rows
// beside it nor on how the outputs are cut into pieces.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

namespace otseq2set::inline kernels {

// For float or double.
template <typename T>
class PackedLinear {
 public:
  // weight: [outputs, inputs], bias: [outputs]; both are copied.
  PackedLinear(int64_t outputs, int64_t inputs, const T* weight, const T* bias);

  int64_t inputs() const { return inputs_; }
  int64_t outputs() const { return outputs_; }

  // in: `rows` rows of inputs, out: as many of outputs; a stride is the distance from row to row.
  // On all threads.
  void forward(int64_t rows, const T* in, int64_t in_stride, T* out, int64_t out_stride) const;

  // The same for the outputs from `begin`, a multiple of kPiece, to `end`, in the calling thread.
  static constexpr int64_t kPiece = 96;  // whole panels of every instruction set
  void forward_piece(int64_t begin, int64_t end, int64_t rows, const T* in, int64_t in_stride, T* out,
                     int64_t out_stride) const;

 private:
  int64_t outputs_, inputs_;
  hwy::AlignedFreeUniquePtr<T[]> weight_;  // as panel_product-inl.h has it
  std::vector<T> bias_;
};

}  // namespace otseq2set::inline kernels
