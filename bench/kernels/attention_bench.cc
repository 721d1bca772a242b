// One look of the decoder at one document, forward and backward, against autograd over LibTorch's operations;
// one thread, sizes of Eurlex-4K.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include "agreement.h"
#include "otseq2set/kernels/attention_step.h"

namespace otseq2set {
namespace {

using torch::Tensor;

constexpr int64_t kHidden = 512, kWidth = 1024;

struct Inputs {
  explicit Inputs(int64_t words)
      : keys((torch::randn({words, kHidden}) * 0.5).requires_grad_()),
        states(torch::randn({words, kWidth})),
        query((torch::randn({kHidden}) * 0.5).requires_grad_()),
        v((torch::randn({kHidden}) * 0.1).requires_grad_()),
        gradient(torch::randn({kWidth})) {
    at::set_num_threads(1);
  }
  AttendedDocument<float> document() const {
    return {keys.data_ptr<float>(), states.data_ptr<float>(), keys.size(0), kHidden, kWidth};
  }
  Tensor keys, states, query, v, gradient;
};

// The gradients of query, keys and v, and what the forward leaves.
struct Fused {
  explicit Fused(int64_t words)
      : weights(torch::empty({words})),
        context(torch::empty({kWidth})),
        scratch(torch::empty({words})),
        query(torch::empty({kHidden})),
        keys(torch::zeros({words, kHidden})),
        v(torch::zeros({kHidden})) {}

  void forward(const Inputs& in) const {
    attend(AttentionStep<float>{in.document(), in.query.data_ptr<float>(), in.v.data_ptr<float>(),
                                weights.data_ptr<float>(), context.data_ptr<float>()});
  }
  void backward(const Inputs& in) const {
    attend_backward(AttentionStepBack<float>{in.document(), in.query.data_ptr<float>(), in.v.data_ptr<float>(),
                                             weights.data_ptr<float>(), in.gradient.data_ptr<float>(),
                                             scratch.data_ptr<float>(), query.data_ptr<float>(), keys.data_ptr<float>(),
                                             v.data_ptr<float>()});
  }
  Tensor weights, context, scratch, query, keys, v;
};

Tensor plain_context(const Inputs& in) {
  return torch::mv(in.states.t(), torch::mv(torch::tanh(in.query + in.keys), in.v).softmax(0));
}

void fused(benchmark::State& state) {
  const Inputs in(state.range(0));
  const Fused own(state.range(0));
  for (auto _ : state) {
    own.forward(in);
    own.backward(in);
  }
}

void plain(benchmark::State& state) {
  const Inputs in(state.range(0));
  const Fused own(state.range(0));
  own.forward(in);
  own.backward(in);
  const auto gradients = [&] {
    return torch::autograd::grad({plain_context(in)}, {in.query, in.keys, in.v}, {in.gradient});
  };
  if (!agree(state, own.context, plain_context(in)) || !agree(state, own.keys, gradients()[1])) return;
  for (auto _ : state) benchmark::DoNotOptimize(gradients());
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgName("words")->Arg(250)->Arg(1000)->Unit(benchmark::kMicrosecond);
}

BENCHMARK(fused)->Name("attention_step/fused")->Apply(sizes);
BENCHMARK(plain)->Name("attention_step/plain")->Apply(sizes);

}  // namespace
}  // namespace otseq2set
