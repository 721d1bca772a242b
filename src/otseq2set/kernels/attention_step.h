// One look of the decoder at one document (paper, eq. 4-6), and its gradient, on one thread.
//
//   e_i = v . tanh(q + k_i),   a = softmax(e),   c = sum_i a_i h_i      q = W s + b_w,  k_i = U h_i + b_u
//
// tanh is not kept but computed again in the backward: reading it would cost more than that. The
// gradient of the states, sum over steps of a_t c'_t, is left to the caller, who has all steps
// together and makes it one product.
#pragma once

#include <cstdint>

#include "otseq2set/kernels/arithmetic.h"

namespace otseq2set::inline kernels {

template <typename T>
struct AttendedDocument {
  const T* keys;    // k [positions, hidden]
  const T* states;  // h [positions, width]
  int64_t positions, hidden, width;
  // In place of states, in units of 1 / kFixedOne: half of what every step reads. For Arithmetic::kSteady alone.
  const int16_t* fixed_states = nullptr;
};
constexpr float kFixedOne = 32767;  // states are sums of tanh with weights of at most 1 in all

template <typename T>
struct AttentionStep {
  AttendedDocument<T> document;
  const T *query, *v;  // [hidden]
  T* weights;          // a [positions], written
  T* context;          // c [width], written
};
void attend(const AttentionStep<float>& step, Arithmetic arithmetic = Arithmetic::kFused);
void attend(const AttentionStep<double>& step, Arithmetic arithmetic = Arithmetic::kFused);  // kFused alone

template <typename T>
struct AttentionStepBack {
  AttendedDocument<T> document;
  const T *query, *v;
  const T* weights;           // as attend left them
  const T* context_gradient;  // [width]
  T* scratch;                 // [positions]
  T* query_gradient;          // [hidden], set
  T* key_gradients;           // [positions, hidden], added to
  T* v_gradient;              // [hidden], added to
};
void attend_backward(const AttentionStepBack<float>& step);
void attend_backward(const AttentionStepBack<double>& step);

}  // namespace otseq2set::inline kernels
