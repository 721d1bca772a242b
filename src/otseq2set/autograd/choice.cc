#include "otseq2set/autograd/choice.h"

#include <atomic>

namespace otseq2set::inline autograd {

namespace {
std::atomic<bool> plain_everywhere{false};
}  // namespace

void use_plain_kernels(bool plain) { plain_everywhere = plain; }

bool use_fused_kernel(const torch::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  return !plain_everywhere && tensor.device().is_cpu() && (type == torch::kFloat32 || type == torch::kFloat64);
}

}  // namespace otseq2set::inline autograd
