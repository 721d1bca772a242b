// One step of a GRU for a few rows, between its two products, and its gradient.
//
//   r = sigmoid(x_r + h_r),  z = sigmoid(x_z + h_z),  n = tanh(x_n + r h_n),  next = (1 - z) n + z previous
//
// x_* and h_* are the products of input and previous state with the weights, biases included.
#pragma once

#include <cstdint>

namespace otseq2set::inline kernels {

// from_input, from_state: [rows, 3 hidden]; previous: [rows, hidden]. Writes gates [rows, 4 hidden] = r, z,
// n, h_n for the backward, and next [rows, hidden] with `next_stride` values from row to row.
void gru_cell(int64_t rows, int64_t hidden, const float* from_input, const float* from_state, const float* previous,
              float* gates, float* next, int64_t next_stride);
void gru_cell(int64_t rows, int64_t hidden, const double* from_input, const double* from_state, const double* previous,
              double* gates, double* next, int64_t next_stride);

// next_gradient: [rows, hidden]. Writes the gradients of x_* and h_* [rows, 3 hidden] each and of `previous`
// as far as it does not go through the products.
void gru_cell_backward(int64_t rows, int64_t hidden, const float* gates, const float* previous,
                       const float* next_gradient, float* input_gradient, float* state_gradient,
                       float* previous_gradient);
void gru_cell_backward(int64_t rows, int64_t hidden, const double* gates, const double* previous,
                       const double* next_gradient, double* input_gradient, double* state_gradient,
                       double* previous_gradient);

}  // namespace otseq2set::inline kernels
