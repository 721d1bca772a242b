#include "otseq2set/kernels/decoder_steps.h"

#include <gtest/gtest.h>

#include "otseq2set/kernels/choice.h"
#include "otseq2set/kernels/linear_with_result.h"
#include "otseq2set/model/network.h"
#include "support/torch_golden.h"

namespace otseq2set::testing {
namespace {

using torch::Tensor;

// Everything a decoder run depends on, small, random and in float64.
struct Case {
  DecoderWeights weights;
  Tensor first, masks, labels;
  std::vector<DecoderMemory> memories;
  int64_t steps = 3;

  std::vector<Tensor> inputs() const {
    std::vector<Tensor> all = {
        first,          weights.label_vectors, weights.query_weight, weights.query_bias,
        weights.energy, weights.weight_ih,     weights.weight_hh,    weights.bias_ih,
        weights.bias_hh};
    for (const DecoderMemory& memory : memories) all.insert(all.end(), {memory.states, memory.keys});
    return all;
  }

  // Reads fixed labels, so that the result is a smooth function of the inputs.
  Tensor features() const {
    return decoder_steps(weights, first, memories, labels[0], masks, steps,
                         [&](const Tensor&, int64_t t) { return labels[t + 1]; })
        .features;
  }
};

Case make_case(int64_t memories, bool masked) {
  torch::manual_seed(7);
  const int64_t batch = 2, hidden = 3, label = 2, width = 6, input = label + memories * width;
  auto random = [](torch::IntArrayRef shape) {
    return torch::randn(shape, torch::kFloat64).requires_grad_();
  };
  Case c;
  c.weights = {random({5, label}),   random({hidden, hidden}),    random({hidden}),
               random({hidden}),     random({3 * hidden, input}), random({3 * hidden, hidden}),
               random({3 * hidden}), random({3 * hidden})};
  c.first = random({batch, hidden});
  c.labels = torch::tensor(std::vector<int64_t>{2, 2, 4, 0, 1, 3, 3, 1}).view({4, batch});
  if (masked)
    c.masks = (torch::rand({c.steps, batch, label}, torch::kFloat64) > 0.4).to(torch::kFloat64) * 1.5;
  for (int64_t m = 0; m < memories; ++m) {
    c.memories.push_back({random({batch, 6, width}), random({batch, 6, hidden}),
                          torch::tensor(std::vector<int64_t>{6, 5 - 4 * m})});
  }
  return c;
}

void expect_finite_differences(const Case& c) {
  torch::manual_seed(8);
  const Tensor direction = torch::randn_like(c.features());
  auto value = [&] {
    torch::NoGradGuard no_gradient;
    return (c.features() * direction).sum().item<double>();
  };
  const auto inputs = c.inputs();
  const auto gradients = torch::autograd::grad({(c.features() * direction).sum()}, inputs);
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor flat = inputs[i].detach().view({-1});
    for (int64_t j = 0; j < flat.numel(); ++j) {
      double& x = flat.data_ptr<double>()[j];
      const double before = x;
      x = before + kStep;
      const double above = value();
      x = before - kStep;
      const double below = value();
      x = before;
      EXPECT_NEAR(gradients[i].view({-1})[j].item<double>(), (above - below) / (2 * kStep), 1e-7)
          << "input " << i << ", value " << j;
    }
  }
}

TEST(DecoderSteps, FiniteDifferencesWithOneMemory) { expect_finite_differences(make_case(1, false)); }
TEST(DecoderSteps, FiniteDifferencesWithTwoMemoriesAndDropout) {
  expect_finite_differences(make_case(2, true));
}

TEST(DecoderSteps, WhatLiesBehindADocumentsEndDoesNotMatter) {
  Case c = make_case(2, false);
  const Tensor expected = c.features();
  torch::NoGradGuard no_gradient;
  for (DecoderMemory& memory : c.memories) {
    for (int64_t row = 0; row < 2; ++row) {
      const auto length = memory.lengths[row].item<int64_t>();
      memory.states[row].slice(0, length).fill_(NAN);
      memory.keys[row].slice(0, length).fill_(NAN);
    }
  }
  EXPECT_TRUE(torch::equal(c.features(), expected));
}

TEST(DecoderSteps, GradientsBehindADocumentsEndAreZero) {
  const Case c = make_case(2, false);
  const auto gradients = torch::autograd::grad({c.features().sum()}, c.inputs());
  auto magnitude = [](const Tensor& tensor) { return tensor.abs().sum().item<double>(); };
  for (int64_t m = 0; m < 2; ++m) {
    const Tensor &states = gradients[9 + 2 * m], &keys = gradients[10 + 2 * m];
    const auto length = c.memories[m].lengths[1].item<int64_t>();
    EXPECT_GT(magnitude(states[1].slice(0, 0, length)), 0);
    EXPECT_EQ(magnitude(states[1].slice(0, length)), 0);
    EXPECT_EQ(magnitude(keys[1].slice(0, length)), 0);
  }
}

// The whole network with fused and with plain operations.
struct Run {
  Tensor logits, labels, word_weights;
  std::vector<Tensor> gradients;
};

Run run_network(Network& network, const Batch& batch, bool plain, const Tensor& direction) {
  use_plain_kernels(plain);
  const Decoded decoded = network->decode(batch, 5, Dropout(0.3, 1, 2, 0));
  Run run{decoded.logits, decoded.labels, decoded.word_weights, {}};
  run.gradients = torch::autograd::grad({(decoded.logits * direction).sum()}, network->parameters(), {},
                                        c10::nullopt, false, /*allow_unused=*/true);
  use_plain_kernels(false);
  return run;
}

void expect_twins_agree(const std::string& variant, int64_t bottleneck, torch::Dtype dtype,
                        double tolerance) {
  torch::manual_seed(3);
  Config config;
  config.variant = variant;
  config.model.hidden = 20;
  config.model.word_embedding = 13;
  config.model.label_embedding = 11;
  config.model.bottleneck = bottleneck;
  config.model.light_conv.kernels = {3, 5};
  Network network(50, 40, config);
  network->to(dtype);
  std::vector<std::vector<int32_t>> documents;
  std::vector<Span<const int32_t>> spans;
  for (int32_t length : {31, 30, 22, 9, 3}) {
    documents.emplace_back();
    for (int32_t i = 0; i < length; ++i) documents.back().push_back(2 + (i * 7 + length) % 48);
  }
  for (const auto& document : documents) spans.emplace_back(document);
  const Batch batch = make_batch(spans, receptive_field(config.model.light_conv), torch::kCPU);
  const Tensor direction = torch::randn({5, 5, 40}, dtype);
  const Run fused = run_network(network, batch, false, direction),
            plain = run_network(network, batch, true, direction);

  ASSERT_TRUE(torch::equal(fused.labels, plain.labels));
  EXPECT_LE(relative_difference(fused.logits, plain.logits), tolerance);
  EXPECT_LE(relative_difference(fused.word_weights, plain.word_weights), tolerance);
  const auto names = network->named_parameters();
  double largest = 0;
  for (const Tensor& gradient : plain.gradients)
    largest = std::max(largest, dense(gradient).abs().max().item<double>());
  for (size_t i = 0; i < plain.gradients.size(); ++i) {
    const Tensor gradient =
        fused.gradients[i].defined() ? fused.gradients[i] : torch::zeros_like(plain.gradients[i]);
    EXPECT_LE(relative_difference(gradient, plain.gradients[i], 1e-3 * largest), tolerance) << names[i].key();
  }
}

TEST(DecoderSteps, FusedAndPlainNetworksAgree) {
  for (const char* variant : {"otseq2set", "bm"}) {
    for (int64_t bottleneck : {0, 7}) {
      SCOPED_TRACE(std::string(variant) + ", bottleneck " + std::to_string(bottleneck));
      expect_twins_agree(variant, bottleneck, torch::kFloat64, 1e-11);
      expect_twins_agree(variant, bottleneck, torch::kFloat32, 2e-4);
    }
  }
}

TEST(LinearWithResult, HasTheGradientsOfALinearLayer) {
  torch::manual_seed(5);
  const Tensor in = torch::randn({2, 3, 4}, torch::kFloat64).requires_grad_();
  const Tensor weight = torch::randn({5, 4}, torch::kFloat64).requires_grad_();
  const Tensor bias = torch::randn({5}, torch::kFloat64).requires_grad_();
  const Tensor plain = torch::linear(in, weight, bias);
  const Tensor given = linear_with_result(in, weight, bias, plain.detach());
  EXPECT_TRUE(torch::equal(given, plain));
  const Tensor direction = torch::randn_like(plain);
  const auto expected = torch::autograd::grad({(plain * direction).sum()}, {in, weight, bias});
  const auto actual = torch::autograd::grad({(given * direction).sum()}, {in, weight, bias});
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_LE(relative_difference(actual[i], expected[i]), 1e-14);
}

}  // namespace
}  // namespace otseq2set::testing
