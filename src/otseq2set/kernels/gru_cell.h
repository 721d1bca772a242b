// One step of a GRU for a few rows, between its two products, and its gradient.
//
//   r = sigmoid(x_r + h_r),  z = sigmoid(x_z + h_z),  n = tanh(x_n + r h_n),  next = (1 - z) n + z previous
//
// x_* and h_* are the products of input and previous state with the weights, biases included.
#pragma once

#include <cstdint>

#include "otseq2set/kernels/arithmetic.h"

namespace otseq2set::inline kernels {

template <typename T>
struct GruCell {
  int64_t rows, hidden;
  const T *from_input, *from_state;  // x_* and h_* [rows, 3 hidden]
  const T* previous;                 // [rows, hidden]
  T* gates;                          // [rows, 4 hidden], written: r, z, n, h_n for the backward
  T* next;                           // [rows, hidden], written
  int64_t next_stride;               // values from row to row of `next`
};
void gru_cell(const GruCell<float>& cell, Arithmetic arithmetic = Arithmetic::kFused);
void gru_cell(const GruCell<double>& cell, Arithmetic arithmetic = Arithmetic::kFused);  // kFused alone

template <typename T>
struct GruCellBack {
  int64_t rows, hidden;
  const T *gates, *previous;           // as gru_cell left and had them
  const T* next_gradient;              // [rows, hidden]
  T *input_gradient, *state_gradient;  // of x_* and h_* [rows, 3 hidden], written
  T* previous_gradient;                // [rows, hidden], written: as far as it does not go through the products
};
void gru_cell_backward(const GruCellBack<float>& cell);
void gru_cell_backward(const GruCellBack<double>& cell);

}  // namespace otseq2set::inline kernels
