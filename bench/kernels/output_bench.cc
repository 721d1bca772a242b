// The output layer, softmax and set loss of a batch of Eurlex-4K's sizes, from features to their gradient,
// against the same with LibTorch's operations.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "agreement.h"
#include "otseq2set/autograd/label_softmax.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/loss/set_loss.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set {
namespace {

using torch::Tensor;

constexpr int64_t kBatch = 32, kSteps = 24, kWidth = 2860, kLabelWidth = 300;

struct Inputs {
  explicit Inputs(int64_t label_ids)
      : features(torch::randn({kSteps * kBatch, kWidth}) * 0.1),
        weight(torch::randn({label_ids, kWidth}) * 0.02),
        bias(torch::zeros({label_ids})),
        vectors(torch::randn({label_ids, kLabelWidth})),
        labels(kBatch) {
    for (auto& set : labels) {
      for (int64_t i = 0; i < 5; ++i) set.push_back(kFirstLabel + i * 7);
    }
  }
  Tensor features, weight, bias, vectors;
  LabelSets labels;
  LossConfig config;
};

BatchLoss fused_loss(const Inputs& in, LabelSoftmax& softmax) {
  softmax.forward(in.features, 0);
  return set_loss(softmax, in.vectors, in.labels, in.config, /*transport=*/true);
}

void fused(benchmark::State& state) {
  Inputs in(state.range(0));
  Tensor weight_gradient = torch::empty_like(in.weight), bias_gradient = torch::empty_like(in.bias);
  for (auto _ : state) {
    LabelSoftmax softmax(in.weight, in.bias, kSteps * kBatch);
    const BatchLoss loss = fused_loss(in, softmax);
    benchmark::DoNotOptimize(softmax.backward(in.features, loss.rows, weight_gradient, bias_gradient));
  }
}

Tensor plain_loss(const Inputs& in) {
  const Tensor logits = torch::linear(in.features, in.weight, in.bias).view({kSteps, kBatch, -1}).transpose(0, 1);
  return set_loss(logits, in.vectors, in.labels, set_loss_counts(in.labels, kSteps, in.config), in.config,
                  /*transport=*/true)
      .total;
}

void plain(benchmark::State& state) {
  Inputs in(state.range(0));
  LabelSoftmax softmax(in.weight, in.bias, kSteps * kBatch);
  if (!agree(state, torch::tensor(fused_loss(in, softmax).total), plain_loss(in))) return;
  at::set_num_threads(thread_count());
  for (Tensor* tensor : {&in.features, &in.weight, &in.bias}) tensor->requires_grad_();
  for (auto _ : state) {
    benchmark::DoNotOptimize(torch::autograd::grad({plain_loss(in)}, {in.features, in.weight, in.bias}));
  }
  at::set_num_threads(1);
}

BENCHMARK(fused)
    ->Name("output_and_loss/fused")
    ->ArgName("label_ids")
    ->Arg(3959)
    ->Arg(13333)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(plain)
    ->Name("output_and_loss/plain")
    ->ArgName("label_ids")
    ->Arg(3959)
    ->Arg(13333)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace otseq2set
