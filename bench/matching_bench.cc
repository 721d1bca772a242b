// Assignment and transport plan of one document: steps against labels, one thread.
#include <benchmark/benchmark.h>

#include <vector>

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

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"steps", "labels"})
      ->Args({24, 5})
      ->Args({30, 19})
      ->Args({57, 5})
      ->Args({57, 57})
      ->Args({7, 5});
  bench->Unit(benchmark::kMicrosecond);
}

BENCHMARK(assignment)->Apply(sizes);
BENCHMARK(transport)->Name("transport_plan")->Apply(sizes);

}  // namespace
}  // namespace otseq2set
