// Adam on the parameters of Eurlex-4K against LibTorch's. The gradients of the word vectors are those of a
// batch: zero but for some thousand rows, which is where the lazy treatment of rows saves.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "agreement.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/training/adam.h"

namespace otseq2set {
namespace {

using torch::Tensor;

constexpr int64_t kWords = 50'002, kUsedWords = 6000;

std::vector<Tensor> parameters() {
  torch::manual_seed(1);
  return {torch::randn({kWords, 300}), torch::randn({3959, 300}), torch::randn({3959, 2860}),
          torch::randn({1536, 1024}),  torch::randn({1536, 512}), torch::randn({1536})};
}

std::vector<Tensor> gradients() {
  std::vector<Tensor> all = parameters();
  all[0].slice(0, kUsedWords).zero_();
  return all;
}

void step(Adam& adam, const std::vector<Tensor>& gradients) {
  adam.step(gradients, 1e-4, std::min(1.0, 8 / gradient_norm(gradients)));
}

void fused(benchmark::State& state) {
  Adam adam(parameters());
  const std::vector<Tensor> given = gradients();
  for (auto _ : state) step(adam, given);
}

void lazy(benchmark::State& state) {
  const std::vector<Tensor> own = parameters();
  Adam adam(own, {own[0], own[1]});
  const std::vector<Tensor> given = gradients();
  for (auto _ : state) step(adam, given);
}

// One step from zero, where its digits show. The norms are not compared: LibTorch's loses some in float32.
Tensor first_step(const Tensor& gradient) {
  const Tensor parameter = torch::zeros_like(gradient);
  Adam({parameter}).step({gradient}, 1e-4, 1.0);
  return parameter;
}

Tensor first_step_plain(const Tensor& gradient) {
  Tensor parameter = torch::zeros_like(gradient).requires_grad_();
  parameter.mutable_grad() = gradient.clone();
  torch::optim::Adam({parameter}, torch::optim::AdamOptions(1e-4)).step();
  return parameter.detach();
}

void plain(benchmark::State& state) {
  std::vector<Tensor> own = parameters();
  const std::vector<Tensor> given = gradients();
  for (size_t i = 0; i < own.size(); ++i) {
    own[i].requires_grad_();
    own[i].mutable_grad() = given[i].clone();
  }
  torch::optim::Adam adam(own, torch::optim::AdamOptions(1e-4));
  const auto step_plain = [&] {
    torch::nn::utils::clip_grad_norm_(own, 8);
    adam.step();
  };
  if (!agree(state, first_step(given.back()), first_step_plain(given.back()))) return;
  at::set_num_threads(thread_count());
  for (auto _ : state) step_plain();
  at::set_num_threads(1);
}

BENCHMARK(fused)->Name("adam_with_clipping/fused")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(lazy)->Name("adam_with_clipping/lazy")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(plain)->Name("adam_with_clipping/plain")->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace otseq2set
