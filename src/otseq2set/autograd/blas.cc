#include "otseq2set/autograd/blas.h"

#include <cblas.h>
#include <omp.h>

namespace otseq2set::inline autograd {

namespace {

// The OpenMP build of OpenBLAS asks OpenMP at each call how many threads it may use.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

CBLAS_TRANSPOSE order(Transpose transpose) { return transpose == Transpose::kYes ? CblasTrans : CblasNoTrans; }

blasint size(int64_t value) { return static_cast<blasint>(value); }

}  // namespace

void gemm(Transpose a_order, Transpose b_order, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
          int64_t a_stride, const float* b, int64_t b_stride, float beta, float* c, int64_t c_stride) {
  const OneThread guard;
  cblas_sgemm(CblasRowMajor, order(a_order), order(b_order), size(m), size(n), size(k), alpha, a, size(a_stride), b,
              size(b_stride), beta, c, size(c_stride));
}

void gemm(Transpose a_order, Transpose b_order, int64_t m, int64_t n, int64_t k, double alpha, const double* a,
          int64_t a_stride, const double* b, int64_t b_stride, double beta, double* c, int64_t c_stride) {
  const OneThread guard;
  cblas_dgemm(CblasRowMajor, order(a_order), order(b_order), size(m), size(n), size(k), alpha, a, size(a_stride), b,
              size(b_stride), beta, c, size(c_stride));
}

}  // namespace otseq2set::inline autograd
