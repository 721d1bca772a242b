// A linear layer, y = W x + b, whose weights are bytes. Rows are rounded to bytes too, each with a scale of its own.
//
// The result has the same bits on every instruction set, and a row's does not depend on the rows beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "otseq2set/core/weight_matrix.h"
#include "otseq2set/kernels/int8_panels.h"

namespace otseq2set::inline kernels {

class Int8Linear {
 public:
  // weight: bytes [outputs, inputs]; bias: [outputs].
  Int8Linear(int64_t outputs, int64_t inputs, const WeightMatrix<float>& weight, const float* bias);

  // The outputs from `begin`, a multiple of kPiece, to `end`, in the calling thread; out: [rows, end - begin].
  static constexpr int64_t kPiece = 96;  // whole panels of every instruction set
  void forward_piece(int64_t begin, int64_t end, const Int8Rows& rows, float* out, int64_t out_stride) const;

 private:
  int64_t inputs_;
  Int8Panels weight_;
  std::vector<float> bias_;
};

}  // namespace otseq2set::inline kernels
