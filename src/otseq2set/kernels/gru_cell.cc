#include "otseq2set/kernels/gru_cell.h"

#include "otseq2set/kernels/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "otseq2set/kernels/gru_cell.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "otseq2set/kernels/steady_math-inl.h"
#include "otseq2set/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace otseq2set::inline kernels {
namespace HWY_NAMESPACE {

template <class Math, typename T>
void forward_any(const GruCell<T>& cell) {
  const int64_t hidden = cell.hidden;
  for (int64_t row = 0; row < cell.rows; ++row) {
    const T *x = cell.from_input + row * 3 * hidden, *h = cell.from_state + row * 3 * hidden;
    const T* p = cell.previous + row * hidden;
    T *g = cell.gates + row * 4 * hidden, *out = cell.next + row * cell.next_stride;
    for_each_vector<T>(hidden, [&](auto d, int64_t j) HWY_ATTR {
      const auto r = Math::sigmoid(d, hn::Add(hn::LoadU(d, x + j), hn::LoadU(d, h + j)));
      const auto z = Math::sigmoid(d, hn::Add(hn::LoadU(d, x + hidden + j), hn::LoadU(d, h + hidden + j)));
      const auto h_n = hn::LoadU(d, h + 2 * hidden + j);
      const auto n = Math::tanh(d, Math::mul_add(r, h_n, hn::LoadU(d, x + 2 * hidden + j)));
      hn::StoreU(r, d, g + j);
      hn::StoreU(z, d, g + hidden + j);
      hn::StoreU(n, d, g + 2 * hidden + j);
      hn::StoreU(h_n, d, g + 3 * hidden + j);
      hn::StoreU(Math::mul_add(z, hn::Sub(hn::LoadU(d, p + j), n), n), d, out + j);
    });
  }
}

template <typename T>
void backward_any(const GruCellBack<T>& cell) {
  const int64_t hidden = cell.hidden;
  for (int64_t row = 0; row < cell.rows; ++row) {
    const T *g = cell.gates + row * 4 * hidden, *p = cell.previous + row * hidden;
    const T* dnext = cell.next_gradient + row * hidden;
    T *dx = cell.input_gradient + row * 3 * hidden, *dh = cell.state_gradient + row * 3 * hidden;
    T* dp = cell.previous_gradient + row * hidden;
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
void forward_float(const GruCell<float>& cell) { forward_any<FusedMath>(cell); }
void forward_steady(const GruCell<float>& cell) { forward_any<SteadyMath>(cell); }
void forward_double(const GruCell<double>& cell) { forward_any<FusedMath>(cell); }
void backward_float(const GruCellBack<float>& cell) { backward_any(cell); }
void backward_double(const GruCellBack<double>& cell) { backward_any(cell); }

}  // namespace HWY_NAMESPACE
}  // namespace otseq2set::inline kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace otseq2set::inline kernels {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_steady);
HWY_EXPORT(forward_double);
HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);

void gru_cell(const GruCell<float>& cell, Arithmetic arithmetic) {
  arithmetic == Arithmetic::kSteady ? HWY_DYNAMIC_DISPATCH(forward_steady)(cell)
                                    : HWY_DYNAMIC_DISPATCH(forward_float)(cell);
}
void gru_cell(const GruCell<double>& cell, Arithmetic) { HWY_DYNAMIC_DISPATCH(forward_double)(cell); }
void gru_cell_backward(const GruCellBack<float>& cell) { HWY_DYNAMIC_DISPATCH(backward_float)(cell); }
void gru_cell_backward(const GruCellBack<double>& cell) { HWY_DYNAMIC_DISPATCH(backward_double)(cell); }

}  // namespace otseq2set::inline kernels
#endif  // HWY_ONCE
