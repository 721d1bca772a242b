// The arithmetic of light_conv.h on arrays: convolution and ReLU, and their gradients, on one thread.
//
// Vectors run over channels. A few positions of a block of channels are copied into contiguous rows, worked
// on while they are in the cache, and copied out: the rows of a document lie 4 KB apart at 1024 channels and
// would all compete for the same few lines. Sums are taken in an order that depends on the shape alone.
#pragma once

#include <cstdint>

#include "otseq2set/kernels/arithmetic.h"

namespace otseq2set::inline kernels {

// Outputs whose window lies inside the first `length` words.
constexpr int64_t light_conv_length(int64_t length, int64_t kernel, int64_t stride) {
  return length < kernel ? 0 : (length - kernel) / stride + 1;
}

struct LightConvShape {
  int64_t batch, words, channels;
  int64_t heads, kernel, stride;
  const int64_t* lengths;  // [batch]

  int64_t positions() const { return positions_in(words); }
  int64_t positions_in(int64_t length) const { return light_conv_length(length, kernel, stride); }
};

template <typename T>
struct LightConvArrays {
  LightConvShape shape;
  const T* x;        // [batch, words, channels]
  const T* kernels;  // [heads, kernel]
  T* y;              // [batch, positions, channels], written
};
void light_conv_forward(const LightConvArrays<float>& arrays, Arithmetic arithmetic = Arithmetic::kFused);
void light_conv_forward(const LightConvArrays<double>& arrays,
                        Arithmetic arithmetic = Arithmetic::kFused);  // kFused alone

template <typename T>
struct LightConvBack {
  LightConvShape shape;
  const T *x, *kernels, *y;  // as light_conv_forward had and left them
  const T* y_gradient;       // as y
  T* x_gradient;             // as x, set; or null if not wanted
  T* kernel_gradients;       // as kernels, set; or null if not wanted
};
void light_conv_backward(const LightConvBack<float>& arrays);
void light_conv_backward(const LightConvBack<double>& arrays);

}  // namespace otseq2set::inline kernels
