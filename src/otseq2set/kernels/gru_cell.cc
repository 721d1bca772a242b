#include "otseq2set/kernels/gru_cell.h"

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/gru_cell.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/vector_loop-inl.h"
#include "otseq2set/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

template <typename T>
void forward_any(int64_t rows, int64_t hidden, const T* from_input, const T* from_state, const T* previous, T* gates,
                 T* next, int64_t next_stride) {
  for (int64_t row = 0; row < rows; ++row) {
    const T *x = from_input + row * 3 * hidden, *h = from_state + row * 3 * hidden, *p = previous + row * hidden;
    T *g = gates + row * 4 * hidden, *out = next + row * next_stride;
    for_each_vector<T>(hidden, [&](auto d, int64_t j) HWY_ATTR {
      const auto r = vector_sigmoid(d, hn::Add(hn::LoadU(d, x + j), hn::LoadU(d, h + j)));
      const auto z = vector_sigmoid(d, hn::Add(hn::LoadU(d, x + hidden + j), hn::LoadU(d, h + hidden + j)));
      const auto h_n = hn::LoadU(d, h + 2 * hidden + j);
      const auto n = vector_tanh(d, hn::MulAdd(r, h_n, hn::LoadU(d, x + 2 * hidden + j)));
      hn::StoreU(r, d, g + j);
      hn::StoreU(z, d, g + hidden + j);
      hn::StoreU(n, d, g + 2 * hidden + j);
      hn::StoreU(h_n, d, g + 3 * hidden + j);
      hn::StoreU(hn::MulAdd(z, hn::Sub(hn::LoadU(d, p + j), n), n), d, out + j);
    });
  }
}

template <typename T>
void backward_any(int64_t rows, int64_t hidden, const T* gates, const T* previous, const T* next_gradient,
                  T* input_gradient, T* state_gradient, T* previous_gradient) {
  for (int64_t row = 0; row < rows; ++row) {
    const T *g = gates + row * 4 * hidden, *p = previous + row * hidden, *dnext = next_gradient + row * hidden;
    T *dx = input_gradient + row * 3 * hidden, *dh = state_gradient + row * 3 * hidden;
    T* dp = previous_gradient + row * hidden;
    for_each_vector<T>(hidden, [&](auto d, int64_t j) HWY_ATTR {
      const auto one = hn::Set(d, T(1));
      const auto r = hn::LoadU(d, g + j), z = hn::LoadU(d, g + hidden + j);
      const auto n = hn::LoadU(d, g + 2 * hidden + j), h_n = hn::LoadU(d, g + 3 * hidden + j);
      const auto gradient = hn::LoadU(d, dnext + j);
      const auto dn = hn::Mul(hn::Mul(gradient, hn::Sub(one, z)), hn::NegMulAdd(n, n, one));
      const auto dz = hn::Mul(hn::Mul(gradient, hn::Sub(hn::LoadU(d, p + j), n)), hn::Mul(z, hn::Sub(one, z)));
      const auto dr = hn::Mul(hn::Mul(dn, h_n), hn::Mul(r, hn::Sub(one, r)));
      hn::StoreU(dr, d, dx + j);
      hn::StoreU(dz, d, dx + hidden + j);
      hn::StoreU(dn, d, dx + 2 * hidden + j);
      hn::StoreU(dr, d, dh + j);
      hn::StoreU(dz, d, dh + hidden + j);
      hn::StoreU(hn::Mul(dn, r), d, dh + 2 * hidden + j);
      hn::StoreU(hn::Mul(gradient, z), d, dp + j);
    });
  }
}

// HWY_EXPORT takes plain functions.
void forward_float(int64_t rows, int64_t hidden, const float* from_input, const float* from_state,
                   const float* previous, float* gates, float* next, int64_t next_stride) {
  forward_any(rows, hidden, from_input, from_state, previous, gates, next, next_stride);
}
void forward_double(int64_t rows, int64_t hidden, const double* from_input, const double* from_state,
                    const double* previous, double* gates, double* next, int64_t next_stride) {
  forward_any(rows, hidden, from_input, from_state, previous, gates, next, next_stride);
}
void backward_float(int64_t rows, int64_t hidden, const float* gates, const float* previous, const float* next_gradient,
                    float* input_gradient, float* state_gradient, float* previous_gradient) {
  backward_any(rows, hidden, gates, previous, next_gradient, input_gradient, state_gradient, previous_gradient);
}
void backward_double(int64_t rows, int64_t hidden, const double* gates, const double* previous,
                     const double* next_gradient, double* input_gradient, double* state_gradient,
                     double* previous_gradient) {
  backward_any(rows, hidden, gates, previous, next_gradient, input_gradient, state_gradient, previous_gradient);
}

}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_double);
HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);

void gru_cell(int64_t rows, int64_t hidden, const float* from_input, const float* from_state, const float* previous,
              float* gates, float* next, int64_t next_stride) {
  HWY_DYNAMIC_DISPATCH(forward_float)
  (rows, hidden, from_input, from_state, previous, gates, next, next_stride);
}

void gru_cell(int64_t rows, int64_t hidden, const double* from_input, const double* from_state, const double* previous,
              double* gates, double* next, int64_t next_stride) {
  HWY_DYNAMIC_DISPATCH(forward_double)
  (rows, hidden, from_input, from_state, previous, gates, next, next_stride);
}

void gru_cell_backward(int64_t rows, int64_t hidden, const float* gates, const float* previous,
                       const float* next_gradient, float* input_gradient, float* state_gradient,
                       float* previous_gradient) {
  HWY_DYNAMIC_DISPATCH(backward_float)
  (rows, hidden, gates, previous, next_gradient, input_gradient, state_gradient, previous_gradient);
}

void gru_cell_backward(int64_t rows, int64_t hidden, const double* gates, const double* previous,
                       const double* next_gradient, double* input_gradient, double* state_gradient,
                       double* previous_gradient) {
  HWY_DYNAMIC_DISPATCH(backward_double)
  (rows, hidden, gates, previous, next_gradient, input_gradient, state_gradient, previous_gradient);
}

}  // namespace otseq2set::inline kernels
#endif  // HWY_ONCE
