// Dense matrix products through BLAS, in the calling thread alone: a product that BLAS splits over threads
// has other bits for every number of them.
#pragma once

#include <cstdint>

namespace otseq2set::inline autograd {

enum class Transpose { kNo, kYes };
constexpr auto kNo = Transpose::kNo, kYes = Transpose::kYes;

// c = alpha a b + beta c for row-major matrices: a is [m, k], b is [k, n], c is [m, n]. Where a or b is said
// to be transposed, memory holds [k, m] or [n, k]. The strides are the distances from row to row in memory.
void gemm(Transpose a_order, Transpose b_order, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
          int64_t a_stride, const float* b, int64_t b_stride, float beta, float* c, int64_t c_stride);
void gemm(Transpose a_order, Transpose b_order, int64_t m, int64_t n, int64_t k, double alpha, const double* a,
          int64_t a_stride, const double* b, int64_t b_stride, double beta, double* c, int64_t c_stride);

}  // namespace otseq2set::inline autograd
