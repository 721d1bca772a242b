// Assignment and transport plan of one document: steps against labels, one thread. The plan's twin is IPOT
// with LibTorch's operations, as the authors wrote it; the assignment has no such twin.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <vector>

#include "agreement.h"
#include "otseq2set/core/random.h"
#include "otseq2set/loss/assignment.h"
#include "otseq2set/loss/ipot.h"

namespace otseq2set {
namespace {

std::vector<double> random_values(int64_t count) {
  RandomStream random(1, "matching benchmark");
  std::vector<double> values(count);
  for (double& value : values) value = random.uniform(0, 1);
  return values;
}

void assignment(benchmark::State& state) {
  const auto steps = static_cast<int>(state.range(0)), labels = static_cast<int>(state.range(1));
  const std::vector<double> score = random_values(steps * labels);
  for (auto _ : state) benchmark::DoNotOptimize(assign(score.data(), labels, steps));
}

void transport(benchmark::State& state) {
  const auto steps = static_cast<int>(state.range(0)), labels = static_cast<int>(state.range(1));
  const std::vector<double> cost = random_values(steps * labels);
  for (auto _ : state) benchmark::DoNotOptimize(transport_plan(cost.data(), steps, labels));
}

torch::Tensor plain_plan(const torch::Tensor& cost) {
  const int64_t rows = cost.size(0), cols = cost.size(1);
  const torch::Tensor kernel = torch::exp(-cost);
  torch::Tensor plan = torch::ones_like(cost), s = torch::full({cols}, 1.0 / double(cols), cost.options());
  for (int iteration = 0; iteration < IpotOptions().outer; ++iteration) {
    const torch::Tensor q = kernel * plan;
    const torch::Tensor d = 1 / (double(rows) * torch::mv(q, s));
    s = 1 / (double(cols) * torch::mv(q.t(), d));
    plan = d.unsqueeze(1) * q * s;
  }
  return plan;
}

void transport_with_tensors(benchmark::State& state) {
  const int64_t steps = state.range(0), labels = state.range(1);
  torch::NoGradGuard no_gradient;
  at::set_num_threads(1);
  const torch::Tensor cost = torch::tensor(random_values(steps * labels), torch::kFloat64).view({steps, labels});
  const std::vector<double> plan =
      transport_plan(cost.data_ptr<double>(), static_cast<int>(steps), static_cast<int>(labels));
  if (!agree(state, torch::tensor(plan, torch::kFloat64).view({steps, labels}), plain_plan(cost))) return;
  for (auto _ : state) benchmark::DoNotOptimize(plain_plan(cost));
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"steps", "labels"})->Args({24, 5})->Args({30, 19})->Args({57, 5})->Args({57, 57})->Args({7, 5});
  bench->Unit(benchmark::kMicrosecond);
}

BENCHMARK(assignment)->Apply(sizes);
BENCHMARK(transport)->Name("transport_plan/fused")->Apply(sizes);
BENCHMARK(transport_with_tensors)->Name("transport_plan/plain")->Apply(sizes);

}  // namespace
}  // namespace otseq2set
