// Adam on the parameters of Eurlex-4K against LibTorch's.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "otseq2set/core/threads.h"
#include "otseq2set/training/adam.h"

namespace otseq2set {
namespace {

using torch::Tensor;

std::vector<Tensor> parameters() {
  return {torch::randn({50'002, 300}), torch::randn({3959, 300}), torch::randn({3959, 2860}),
          torch::randn({1536, 1024}),  torch::randn({1536, 512}), torch::randn({1536})};
}

void fused(benchmark::State& state) {
  Adam adam(parameters());
  const std::vector<Tensor> gradients = parameters();
  for (auto _ : state) adam.step(gradients, 1e-4, std::min(1.0, 8 / gradient_norm(gradients)));
}

void plain(benchmark::State& state) {
  at::set_num_threads(thread_count());
  std::vector<Tensor> own = parameters();
  for (Tensor& parameter : own) {
    parameter.requires_grad_();
    parameter.mutable_grad() = torch::randn(parameter.sizes());
  }
  torch::optim::Adam adam(own, torch::optim::AdamOptions(1e-4));
  for (auto _ : state) {
    torch::nn::utils::clip_grad_norm_(own, 8);
    adam.step();
  }
  at::set_num_threads(1);
}

BENCHMARK(fused)->Name("adam_with_clipping/fused")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(plain)->Name("adam_with_clipping/plain")->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace otseq2set
