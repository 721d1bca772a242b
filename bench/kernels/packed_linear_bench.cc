// A linear layer for a few rows, as the decoder has at every step, against the product that packs its weights
// at each call. Sizes of the output layer of Eurlex-4K.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "agreement.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/packed_linear.h"

namespace otseq2set {
namespace {

using torch::Tensor;

constexpr int64_t kInputs = 2860, kOutputs = 3959;

struct Layer {
  explicit Layer(int64_t rows)
      : weight(torch::randn({kOutputs, kInputs}) * 0.02),
        bias(torch::randn({kOutputs})),
        in(torch::randn({rows, kInputs})),
        packed(kOutputs, kInputs, weight.data_ptr<float>(), bias.data_ptr<float>()) {}

  Tensor forward() const {
    Tensor out = torch::empty({in.size(0), kOutputs});
    packed.forward(in.size(0), in.data_ptr<float>(), kInputs, out.data_ptr<float>(), kOutputs);
    return out;
  }

  Tensor weight, bias, in;
  PackedLinear<float> packed;
};

void fused(benchmark::State& state) {
  const Layer layer(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(layer.forward());
}

void plain(benchmark::State& state) {
  const Layer layer(state.range(0));
  if (!agree(state, layer.forward(), torch::linear(layer.in, layer.weight, layer.bias))) return;
  at::set_num_threads(thread_count());
  for (auto _ : state) benchmark::DoNotOptimize(torch::linear(layer.in, layer.weight, layer.bias));
  at::set_num_threads(1);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("rows")->Arg(1)->Arg(4)->Arg(10)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(fused)->Name("packed_linear/fused")->Apply(sizes);
BENCHMARK(plain)->Name("packed_linear/plain")->Apply(sizes);

}  // namespace
}  // namespace otseq2set
