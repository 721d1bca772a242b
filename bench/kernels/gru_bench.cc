// The bidirectional GRU layer against its plain twin,
// and against what a matrix product reaches in the same run.
//
// GFLOP/s count the products that real words need: per word and direction 2 * 3 hidden * (input + hidden)
// forward and twice that backward. Eight documents a call, as in a shard of a training batch, the shortest 20
// % shorter than the longest; the input is as wide as an upper layer's, 2 hidden. `shards` calls run at the
// same time, on a thread each.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <chrono>

#include "agreement.h"
#include "otseq2set/autograd/blas.h"
#include "otseq2set/autograd/gru.h"
#include "otseq2set/core/threads.h"

namespace otseq2set {
namespace {

using torch::Tensor;

constexpr int64_t kDocuments = 8;

template <typename Body>
double seconds(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void report(benchmark::State& state, double operations) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(operations * 1e-9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

struct Layer {
  Tensor x, lengths;
  std::vector<Tensor> parameters;
  double operations;  // of a forward pass

  Layer(int64_t hidden, int64_t words)
      : x(torch::randn({kDocuments, words, 2 * hidden}).requires_grad_()),
        lengths(torch::linspace(static_cast<double>(words), 0.8 * static_cast<double>(words), kDocuments)
                    .to(torch::kInt64)) {
    for (int direction = 0; direction < 2; ++direction) {
      for (const std::vector<int64_t>& shape :
           {std::vector<int64_t>{3 * hidden, 2 * hidden}, {3 * hidden, hidden}, {3 * hidden}, {3 * hidden}}) {
        parameters.push_back((torch::randn(shape) * 0.05).requires_grad_());
      }
    }
    const double inner = 3.0 * static_cast<double>(hidden);  // input + hidden
    operations = 2.0 * 2.0 * inner * inner * lengths.sum().item<double>();
  }
};

// As many threads as shards, until the end of a benchmark.
class Threads {
 public:
  explicit Threads(int64_t shards) { set_threads(static_cast<int>(shards)); }
  ~Threads() { set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_ = thread_count();
};

using Gru = Tensor (*)(const Tensor&, const Tensor&, const std::vector<Tensor>&);

void forward(benchmark::State& state, Gru gru) {
  const Layer layer(state.range(0), state.range(1));
  const int64_t shards = state.range(2);
  const Threads threads(shards);
  if (gru == bidirectional_gru_plain && !agree(state, bidirectional_gru(layer.x, layer.lengths, layer.parameters),
                                               bidirectional_gru_plain(layer.x, layer.lengths, layer.parameters)))
    return;
  for (auto _ : state) {
    state.SetIterationTime(seconds([&] {
      parallel_for(shards, [&](int64_t) {
        torch::NoGradGuard no_gradient;
        benchmark::DoNotOptimize(gru(layer.x, layer.lengths, layer.parameters));
      });
    }));
  }
  report(state, static_cast<double>(shards) * layer.operations);
}

void backward(benchmark::State& state, Gru gru) {
  const Layer layer(state.range(0), state.range(1));
  const int64_t shards = state.range(2);
  const Threads threads(shards);
  std::vector<Tensor> variables = layer.parameters, states(shards);
  variables.push_back(layer.x);
  const Tensor gradient = torch::randn({kDocuments, state.range(1), 2 * state.range(0)});
  for (auto _ : state) {
    parallel_for(shards, [&](int64_t i) { states[i] = gru(layer.x, layer.lengths, layer.parameters); });
    state.SetIterationTime(seconds(
        [&] { parallel_for(shards, [&](int64_t i) { torch::autograd::grad({states[i]}, variables, {gradient}); }); }));
  }
  report(state, static_cast<double>(shards) * 2 * layer.operations);
}

// [words, 2 hidden] [2 hidden, 3 hidden], the largest product of the layer, on one thread a shard.
void matrix_product(benchmark::State& state) {
  const int64_t hidden = state.range(0), rows = 4 * state.range(1), shards = state.range(2);
  const Threads threads(shards);
  const Tensor a = torch::randn({rows, 2 * hidden}), b = torch::randn({2 * hidden, 3 * hidden});
  const Tensor c = torch::empty({shards, rows, 3 * hidden});
  for (auto _ : state) {
    state.SetIterationTime(seconds([&] {
      parallel_for(shards, [&](int64_t i) {
        gemm(Transpose::kNo, Transpose::kNo, rows, 3 * hidden, 2 * hidden, 1.0f, a.data_ptr<float>(), 2 * hidden,
             b.data_ptr<float>(), 3 * hidden, 0.0f, c[i].data_ptr<float>(), 3 * hidden);
      });
    }));
  }
  const double inner = static_cast<double>(hidden);
  report(state, static_cast<double>(shards * rows) * 2 * 6 * inner * inner);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"hidden", "words", "shards"})->UseManualTime()->Unit(benchmark::kMillisecond);
  for (int64_t hidden : {128, 256, 512}) {
    for (int64_t words : {300, 1000}) {
      for (int64_t shards : {1, 2}) benchmark->Args({hidden, words, shards});
    }
  }
}

BENCHMARK(matrix_product)->Name("gru/matrix_product")->Apply(sizes);
BENCHMARK_CAPTURE(forward, fused, bidirectional_gru)->Name("gru/forward/fused")->Apply(sizes);
BENCHMARK_CAPTURE(forward, plain, bidirectional_gru_plain)->Name("gru/forward/plain")->Apply(sizes);
BENCHMARK_CAPTURE(backward, fused, bidirectional_gru)->Name("gru/backward/fused")->Apply(sizes);
BENCHMARK_CAPTURE(backward, plain, bidirectional_gru_plain)->Name("gru/backward/plain")->Apply(sizes);

}  // namespace
}  // namespace otseq2set
