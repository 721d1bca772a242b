// Products of bytes against the same layer in float32: what quantising gains. Sizes of the output layer and of an upper
// GRU layer of Eurlex-4K, and those of the demo.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <vector>

#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/gru_walk.h"
#include "otseq2set/kernels/int8_gru.h"
#include "otseq2set/kernels/packed_linear.h"

namespace otseq2set {
namespace {

using torch::Tensor;

const float* data(const Tensor& tensor) { return tensor.data_ptr<float>(); }

struct Bytes {
  explicit Bytes(const Tensor& weight) : bytes(weight.numel()), scales(weight.size(0)) {
    quantise_matrix(weight.size(0), weight.size(1), data(weight), bytes.data(), scales.data());
  }
  WeightMatrix<float> matrix() const { return {bytes.data(), scales.data()}; }

  std::vector<int8_t> bytes;
  std::vector<float> scales;
};

void run_linear(benchmark::State& state, bool int8) {
  const int64_t rows = state.range(0), inputs = 2860, outputs = 3959;
  const Tensor weight = torch::randn({outputs, inputs}) * 0.02, bias = torch::randn({outputs});
  const Tensor in = torch::randn({rows, inputs});
  Tensor out = torch::empty({rows, outputs});
  const Bytes bytes(weight);
  const PackedLinear<float> layer(outputs, inputs, int8 ? bytes.matrix() : WeightMatrix<float>(data(weight)),
                                  data(bias));
  for (auto _ : state) layer.forward(rows, data(in), inputs, out.data_ptr<float>(), outputs);
}

// Eight documents of 100 words, one direction, one thread.
void run_gru(benchmark::State& state, bool int8) {
  const int64_t hidden = state.range(0), input = 2 * hidden;
  const GruDocuments documents = gru_documents(std::vector<int64_t>(8, 100), 100);
  const Tensor weight_ih = torch::randn({3 * hidden, input}) * 0.05,
               weight_hh = torch::randn({3 * hidden, hidden}) * 0.05;
  const Tensor bias = torch::zeros({3 * hidden}), words = torch::randn({documents.rows(), input});
  Tensor states = torch::empty({8, 100, 2 * hidden}), gates = torch::empty({documents.rows(), 4 * hidden});
  const Bytes ih(weight_ih), hh(weight_hh);
  const Int8Gru gru(hidden, input, ih.matrix(), hh.matrix(), data(bias), data(bias));
  const PackedLinear<float> products(3 * hidden, input, data(weight_ih), data(bias));
  const auto packed = pack_recurrent(hidden, data(weight_hh));
  set_threads(1);
  for (auto _ : state) {
    if (int8) {
      gru.walk(documents, Direction::kForward, quantised_rows(documents.rows(), input, data(words), input),
               states.data_ptr<float>());
    } else {
      products.forward(documents.rows(), data(words), input, gates.data_ptr<float>(), 4 * hidden);
      gru_walk(GruWalk<float>{documents,
                              Direction::kForward,
                              {hidden, data(weight_hh), data(bias), data(bias)},
                              packed.get(),
                              gates.data_ptr<float>(),
                              states.data_ptr<float>()});
    }
  }
  set_threads(0);
}

void linear_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("rows")->Arg(1)->Arg(8)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);
}
void gru_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("hidden")->Arg(128)->Arg(512)->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(run_linear, fused, true)->Name("int8_linear/fused")->Apply(linear_sizes);
BENCHMARK_CAPTURE(run_linear, plain, false)->Name("int8_linear/plain")->Apply(linear_sizes);
BENCHMARK_CAPTURE(run_gru, fused, true)->Name("int8_gru/fused")->Apply(gru_sizes);
BENCHMARK_CAPTURE(run_gru, plain, false)->Name("int8_gru/plain")->Apply(gru_sizes);

}  // namespace
}  // namespace otseq2set
