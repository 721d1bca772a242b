// The engine and the network on the same weights, for tests that hold one against the other.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "otseq2set/inference/engine.h"
#include "otseq2set/model/network.h"

namespace otseq2set::testing {

// What the engine makes of a network's parameters.
Engine engine_of(const Network& network, const Config& config, int64_t beam = 1);

// The engine's steps, for documents of word ids, longest first. forced: labels to read [documents, steps] int64, or
// undefined: each step reads the best of the one before.
struct EngineSteps {
  torch::Tensor logits;     // [documents, steps, label ids]
  torch::Tensor labels;     // the best id of each step [documents, steps] int64
  torch::Tensor attention;  // [documents, steps, words of the longest], zero behind a document's end
};
EngineSteps engine_steps(const Network& network, const Config& config,
                         const std::vector<Span<const int32_t>>& documents, int64_t steps,
                         const torch::Tensor& forced = {});

// Set and scores of a document that the network itself decodes, from their definition, in float64.
struct PlainAnswer {
  std::vector<int32_t> set;
  std::vector<double> scores;
};
PlainAnswer plain_answer(const Decoded& decoded, int64_t document, const Variant& variant);
PlainAnswer plain_answer(Network& network, const std::vector<int32_t>& words, const Config& config);

}  // namespace otseq2set::testing
