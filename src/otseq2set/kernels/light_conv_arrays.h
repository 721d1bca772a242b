// The arithmetic of light_conv.h on arrays: convolution and ReLU, and their gradients, on one thread.
//
// Vectors run over channels. A few positions of a block of channels are copied into contiguous rows, worked
// on while they are in the cache, and copied out: the rows of a document lie 4 KB apart at 1024 channels and
// would all compete for the same few lines. Sums are taken in an order that depends on the shape alone.
#pragma once

#include <cstdint>

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

// x: [batch, words, channels]; kernels: [heads, kernel]. Writes y: [batch, positions, channels].
void light_conv_forward(const LightConvShape& shape, const float* x, const float* kernels, float* y);
void light_conv_forward(const LightConvShape& shape, const double* x, const double* kernels, double* y);

template <typename T>
struct LightConvGradients {
  T* x;        // as x, or null if not wanted
  T* kernels;  // as kernels, or null if not wanted
};

// y: as light_conv_forward left it; y_gradient: as y. Sets the gradients.
void light_conv_backward(const LightConvShape& shape, const float* x, const float* kernels, const float* y,
                         const float* y_gradient, const LightConvGradients<float>& gradients);
void light_conv_backward(const LightConvShape& shape, const double* x, const double* kernels, const double* y,
                         const double* y_gradient, const LightConvGradients<double>& gradients);

}  // namespace otseq2set::inline kernels
