// The decoder's steps with their attention, forward and backward, against autograd over LibTorch's
// operations; teacher forced, so that the output layer takes no part until the end. Sizes of Eurlex-4K.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "agreement.h"
#include "otseq2set/autograd/decoder_run.h"
#include "otseq2set/core/threads.h"

namespace otseq2set {
namespace {

using torch::Tensor;

constexpr int64_t kBatch = 32, kSteps = 24, kHidden = 512, kWidth = 1024, kLabel = 300, kPhrases = 300;

struct Inputs {
  explicit Inputs(int64_t words) {
    auto random = [](torch::IntArrayRef shape) { return (torch::randn(shape) * 0.1).requires_grad_(); };
    const int64_t input = kLabel + 2 * kWidth;
    weights = {random({100, kLabel}), random({kHidden, kHidden}),   random({kHidden}),
               random({kHidden}),     random({3 * kHidden, input}), random({3 * kHidden, kHidden}),
               random({3 * kHidden}), random({3 * kHidden})};
    group.first = random({kBatch, kHidden});
    for (int64_t positions : {words, kPhrases}) {
      group.memories.push_back({random({kBatch, positions, kWidth}), random({kBatch, positions, kHidden}),
                                torch::full({kBatch}, positions, torch::kInt64)});
    }
    labels = torch::randint(100, {kSteps, kBatch}, torch::kInt64);
    gradient = torch::randn({kSteps, kBatch, kHidden + input});
  }
  DecoderWeights weights;
  DecoderGroup group;
  Tensor labels, gradient;
};

std::unique_ptr<DecoderRun> run_steps(const Inputs& in) {
  auto run = DecoderRun::make(in.weights, {in.group}, {}, kSteps);
  for (int64_t t = 0; t < kSteps; ++t) run->step(in.labels[t]);
  return run;
}

void fused(benchmark::State& state) {
  const Inputs in(state.range(0));
  DecoderWeights g = in.weights;
  for (Tensor* tensor :
       {&g.label_vectors, &g.query_weight, &g.query_bias, &g.v, &g.weight_ih, &g.weight_hh, &g.bias_ih, &g.bias_hh}) {
    *tensor = torch::zeros_like(tensor->detach());
  }
  for (auto _ : state) {
    const auto run = run_steps(in);
    torch::NoGradGuard no_gradient;
    benchmark::DoNotOptimize(run->backward(in.gradient, g));
  }
}

Tensor plain_features(const Inputs& in) {
  const DecoderWeights& w = in.weights;
  Tensor state = in.group.first;
  std::vector<Tensor> features;
  for (int64_t t = 0; t < kSteps; ++t) {
    const Tensor query = torch::linear(state, w.query_weight, w.query_bias).unsqueeze(1);
    const Tensor label = w.label_vectors.index_select(0, in.labels[t]);
    std::vector<Tensor> input = {label}, parts;
    for (const DecoderMemory& memory : in.group.memories) {
      const Tensor weights = torch::matmul(torch::tanh(query + memory.keys), w.v).softmax(1);
      input.push_back(torch::bmm(weights.unsqueeze(1), memory.states).squeeze(1));
    }
    state = torch::gru_cell(torch::cat(input, 1), state, w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh);
    parts = {state, input[1], input[2], label};
    features.push_back(torch::cat(parts, 1));
  }
  return torch::stack(features);
}

void plain(benchmark::State& state) {
  const Inputs in(state.range(0));
  if (!agree(state, run_steps(in)->features(), plain_features(in))) return;
  at::set_num_threads(thread_count());
  const DecoderWeights& w = in.weights;
  std::vector<Tensor> inputs = {w.label_vectors, w.query_weight, w.query_bias, w.v,
                                w.weight_ih,     w.weight_hh,    w.bias_ih,    w.bias_hh};
  for (const DecoderMemory& memory : in.group.memories) inputs.insert(inputs.end(), {memory.states, memory.keys});
  for (auto _ : state) {
    benchmark::DoNotOptimize(torch::autograd::grad({plain_features(in)}, inputs, {in.gradient}));
  }
  at::set_num_threads(1);
}

BENCHMARK(fused)
    ->Name("decoder_steps/fused")
    ->ArgName("words")
    ->Arg(250)
    ->Arg(1000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(plain)
    ->Name("decoder_steps/plain")
    ->ArgName("words")
    ->Arg(250)
    ->Arg(1000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace otseq2set
