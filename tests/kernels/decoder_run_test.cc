#include "otseq2set/kernels/decoder_run.h"

#include <gtest/gtest.h>

#include "model/tiny_network.h"
#include "otseq2set/kernels/choice.h"
#include "otseq2set/kernels/linear_with_result.h"
#include "otseq2set/model/network.h"
#include "support/torch_golden.h"

namespace otseq2set::testing {
namespace {

using torch::Tensor;

// Everything a decoder run depends on, small, random and in float64. The documents come in two groups.
struct Case {
  DecoderWeights weights;
  Tensor masks, labels;
  std::vector<DecoderGroup> groups;
  int64_t steps = 3;

  static std::vector<Tensor*> tensors(DecoderWeights& w, std::vector<DecoderGroup>& groups) {
    std::vector<Tensor*> all = {&w.label_vectors, &w.query_weight, &w.query_bias, &w.energy,
                                &w.weight_ih,     &w.weight_hh,    &w.bias_ih,    &w.bias_hh};
    for (DecoderGroup& group : groups) {
      all.push_back(&group.first);
      for (DecoderMemory& memory : group.memories) all.insert(all.end(), {&memory.states, &memory.keys});
    }
    return all;
  }

  std::unique_ptr<DecoderRun> run() const {
    auto run = DecoderRun::make(weights, groups, masks, steps);
    for (int64_t t = 0; t < steps; ++t) run->step(labels[t]);
    return run;
  }
  Tensor features() const { return run()->features(); }

  // Of (features * direction).sum(), in the order of tensors().
  std::vector<Tensor> gradients(const Tensor& direction) const {
    DecoderWeights g = weights;
    std::vector<DecoderGroup> none;
    for (Tensor* tensor : tensors(g, none)) *tensor = torch::zeros_like(*tensor);
    std::vector<DecoderGroup> of_groups = run()->backward(direction, g);
    std::vector<Tensor> all;
    for (const Tensor* tensor : tensors(g, of_groups)) all.push_back(*tensor);
    return all;
  }
};

Case make_case(int64_t memories, bool masked) {
  torch::manual_seed(7);
  const int64_t batch = 3, hidden = 3, label = 2, width = 6, input = label + memories * width;
  auto random = [](torch::IntArrayRef shape) { return torch::randn(shape, torch::kFloat64); };
  Case c;
  c.weights = {random({5, label}),   random({hidden, hidden}),    random({hidden}),
               random({hidden}),     random({3 * hidden, input}), random({3 * hidden, hidden}),
               random({3 * hidden}), random({3 * hidden})};
  c.labels = torch::tensor(std::vector<int64_t>{2, 2, 2, 4, 0, 4, 1, 3, 1}).view({c.steps, batch});
  if (masked)
    c.masks = (torch::rand({c.steps, batch, label}, torch::kFloat64) > 0.4).to(torch::kFloat64) * 1.5;
  for (int64_t documents : {2, 1}) {
    DecoderGroup group{random({documents, hidden}), {}};
    for (int64_t m = 0; m < memories; ++m) {
      const int64_t positions = 4 + 2 * documents - m;
      Tensor lengths = torch::full({documents}, positions, torch::kInt64);
      lengths[documents - 1] = positions - 2 - m;
      group.memories.push_back(
          {random({documents, positions, width}), random({documents, positions, hidden}), lengths});
    }
    c.groups.push_back(group);
  }
  return c;
}

void expect_finite_differences(Case c) {
  torch::manual_seed(8);
  const Tensor direction = torch::randn_like(c.features());
  auto value = [&] { return (c.features() * direction).sum().item<double>(); };
  const auto inputs = Case::tensors(c.weights, c.groups);
  const auto gradients = c.gradients(direction);
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor flat = inputs[i]->view({-1});
    for (int64_t j = 0; j < flat.numel(); ++j) {
      double& x = flat.data_ptr<double>()[j];
      const double before = x;
      x = before + kStep;
      const double above = value();
      x = before - kStep;
      const double below = value();
      x = before;
      EXPECT_NEAR(gradients[i].reshape({-1})[j].item<double>(), (above - below) / (2 * kStep), 1e-7)
          << "input " << i << ", value " << j;
    }
  }
}

TEST(DecoderRun, FiniteDifferencesWithOneMemory) { expect_finite_differences(make_case(1, false)); }
TEST(DecoderRun, FiniteDifferencesWithTwoMemoriesAndDropout) {
  expect_finite_differences(make_case(2, true));
}

TEST(DecoderRun, WhatLiesBehindADocumentsEndDoesNotMatter) {
  Case c = make_case(2, false);
  const Tensor direction = torch::ones_like(c.features());
  const Tensor expected = c.features();
  const auto gradients = c.gradients(direction);
  for (DecoderGroup& group : c.groups) {
    for (DecoderMemory& memory : group.memories) {
      for (int64_t row = 0; row < memory.lengths.size(0); ++row) {
        const auto length = memory.lengths[row].item<int64_t>();
        memory.states[row].slice(0, length).fill_(NAN);
        memory.keys[row].slice(0, length).fill_(NAN);
      }
    }
  }
  EXPECT_TRUE(torch::equal(c.features(), expected));
  const auto again = c.gradients(direction);
  for (size_t i = 0; i < again.size(); ++i) EXPECT_TRUE(torch::equal(again[i], gradients[i])) << i;
}

TEST(DecoderRun, GradientsAreAddedToTheWeightsAndZeroBehindADocumentsEnd) {
  const Case c = make_case(2, false);
  const Tensor direction = torch::ones_like(c.features());
  DecoderWeights g = c.weights;
  std::vector<DecoderGroup> none;
  for (Tensor* tensor : Case::tensors(g, none)) *tensor = torch::ones_like(*tensor);
  const std::vector<DecoderGroup> groups = c.run()->backward(direction, g);
  const auto from_zero = c.gradients(direction);
  size_t i = 0;
  for (const Tensor* tensor : Case::tensors(g, none)) {
    EXPECT_LE(relative_difference(*tensor, from_zero[i] + 1), 1e-14) << i;
    ++i;
  }
  for (int64_t m = 0; m < 2; ++m) {
    const auto length = c.groups[0].memories[m].lengths[1].item<int64_t>();
    for (const Tensor& gradient : {groups[0].memories[m].states[1], groups[0].memories[m].keys[1]}) {
      EXPECT_GT(gradient.slice(0, 0, length).abs().sum().item<double>(), 0);
      EXPECT_EQ(gradient.slice(0, length).abs().sum().item<double>(), 0);
    }
  }
}

// The decoder in prediction, fused and plain. (Gradients: tests/training/training_step_test.cc.)
TEST(DecoderRun, FusedAndPlainNetworksAgree) {
  torch::NoGradGuard no_gradient;
  for (const char* variant : {"otseq2set", "bm"}) {
    for (int64_t bottleneck : {0, 7}) {
      for (const auto& [dtype, tolerance] :
           std::vector<std::pair<torch::Dtype, double>>{{torch::kFloat64, 1e-11}, {torch::kFloat32, 2e-4}}) {
        SCOPED_TRACE(std::string(variant) + ", bottleneck " + std::to_string(bottleneck));
        Config config = tiny_config(variant);
        config.model.bottleneck = bottleneck;
        Network network = tiny_network(config, 3, dtype);
        const Documents documents = random_documents(5, 20, 4);
        const Batch batch =
            make_batch(spans(documents), receptive_field(config.model.light_conv), torch::kCPU);
        const Decoded fused = network->decode(batch, 5, Dropout());
        use_plain_kernels(true);
        const Decoded plain = network->decode(batch, 5, Dropout());
        use_plain_kernels(false);
        EXPECT_TRUE(torch::equal(fused.labels, plain.labels));
        EXPECT_LE(relative_difference(fused.logits, plain.logits), tolerance);
        EXPECT_LE(relative_difference(fused.word_weights, plain.word_weights), tolerance);
      }
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
