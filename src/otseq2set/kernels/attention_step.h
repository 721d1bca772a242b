// One look of the decoder at one document (paper, eq. 4-6), and its gradient, on one thread.
//
//   e_i = v . tanh(q + k_i),   a = softmax(e),   c = sum_i a_i h_i      q = W s + b_w,  k_i = U h_i + b_u
//
// tanh is not kept but computed again in the backward: reading it would cost more than that. The
// gradient of the states, sum over steps of a_t c'_t, is left to the caller, who has all steps
// together and makes it one product.
#pragma once

#include <cstdint>

namespace otseq2set::inline kernels {

template <typename T>
struct AttendedDocument {
  const T* keys;    // k [positions, hidden]
  const T* states;  // h [positions, width]
  int64_t positions, hidden, width;
};

// query: [hidden]; v: [hidden]. Writes weights a [positions] and context c [width].
void attend(const AttendedDocument<float>& document, const float* query, const float* v, float* weights,
            float* context);
void attend(const AttendedDocument<double>& document, const double* query, const double* v, double* weights,
            double* context);

template <typename T>
struct AttentionGradients {
  T* query;  // [hidden], set
  T* keys;   // [positions, hidden], added to
  T* v;      // [hidden], added to
};

// weights: as attend left them; context_gradient: [width]; scratch: [positions].
void attend_backward(const AttendedDocument<float>& document, const float* query, const float* v, const float* weights,
                     const float* context_gradient, float* scratch, const AttentionGradients<float>& gradients);
void attend_backward(const AttendedDocument<double>& document, const double* query, const double* v,
                     const double* weights, const double* context_gradient, double* scratch,
                     const AttentionGradients<double>& gradients);

}  // namespace otseq2set::inline kernels
