// A ratio of times means something only if both compute the same.
#pragma once

#include <benchmark/benchmark.h>
#include <torch/torch.h>

namespace otseq2set {

// Whether two results are the same but for rounding; if not, the benchmark fails and says so.
inline bool agree(benchmark::State& state, const torch::Tensor& fused, const torch::Tensor& plain) {
  const torch::Tensor a = fused.detach(), b = plain.detach();
  const bool same = (a - b).abs().max().item<double>() <= 1e-4 * b.abs().max().item<double>();
  if (!same) state.SkipWithError("fused and plain differ");
  return same;
}

}  // namespace otseq2set
