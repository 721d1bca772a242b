// One LightConv layer against its plain twin, one thread, at the sizes of a shard of eurlex_4k.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "agreement.h"
#include "otseq2set/autograd/light_conv.h"

namespace otseq2set {
namespace {

using torch::Tensor;
using Layer = Tensor (*)(const Tensor&, const Tensor&, int64_t, const Tensor&);

constexpr int64_t kBatch = 8, kWords = 1000, kChannels = 1024;

struct Inputs {
  explicit Inputs(const benchmark::State& state)
      : x(torch::randn({kBatch, kWords, kChannels}).requires_grad_()),
        weight(torch::randn({kChannels, 1, state.range(0)}).requires_grad_()),
        lengths(torch::full({kBatch}, kWords, torch::kInt64)),
        stride(state.range(1)) {
    torch::set_num_threads(1);
  }
  Tensor x, weight, lengths;
  int64_t stride;
};

void forward(benchmark::State& state, Layer layer) {
  const Inputs in(state);
  torch::NoGradGuard no_gradient;
  if (layer == light_conv_layer_plain && !agree(state, light_conv_layer(in.x, in.weight, in.stride, in.lengths),
                                                light_conv_layer_plain(in.x, in.weight, in.stride, in.lengths)))
    return;
  for (auto _ : state) benchmark::DoNotOptimize(layer(in.x, in.weight, in.stride, in.lengths));
}

void backward(benchmark::State& state, Layer layer) {
  const Inputs in(state);
  const Tensor y = layer(in.x, in.weight, in.stride, in.lengths);
  const Tensor y_gradient = torch::randn_like(y);
  for (auto _ : state) {
    benchmark::DoNotOptimize(torch::autograd::grad({y}, {in.x, in.weight}, {y_gradient}, /*retain_graph=*/true));
  }
}

void kernels(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"kernel", "stride"})->Args({3, 1})->Args({7, 1})->Args({15, 1})->Args({30, 3});
  bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(forward, fused, light_conv_layer)->Name("light_conv/forward/fused")->Apply(kernels);
BENCHMARK_CAPTURE(forward, plain, light_conv_layer_plain)->Name("light_conv/forward/plain")->Apply(kernels);
BENCHMARK_CAPTURE(backward, fused, light_conv_layer)->Name("light_conv/backward/fused")->Apply(kernels);
BENCHMARK_CAPTURE(backward, plain, light_conv_layer_plain)->Name("light_conv/backward/plain")->Apply(kernels);

}  // namespace
}  // namespace otseq2set
