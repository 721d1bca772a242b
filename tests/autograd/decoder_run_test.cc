#include "otseq2set/autograd/decoder_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "otseq2set/autograd/choice.h"
#include "otseq2set/autograd/linear_with_result.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/model/network.h"
#include "support/highway_targets.h"
#include "support/torch_golden.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

using torch::Tensor;

// Everything a decoder run depends on, random. The documents come in two groups.
struct Case {
  DecoderWeights weights;
  Tensor masks, labels;
  std::vector<DecoderGroup> groups;
  int64_t steps = 0;

  static std::vector<Tensor*> tensors(DecoderWeights& w, std::vector<DecoderGroup>& groups) {
    std::vector<Tensor*> all = {&w.label_vectors, &w.query_weight, &w.query_bias, &w.v,
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
  Tensor features() const { return run()->features().clone(); }

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

struct Sizes {
  int64_t hidden = 3, label = 2, width = 6, steps = 3, label_ids = 5;
  std::vector<int64_t> groups = {2, 1};  // documents in each
  double scale = 1;                      // of the weights
};

Case make_case(int64_t memories, bool masked, const Sizes& s = {}, torch::Dtype type = torch::kFloat64) {
  torch::manual_seed(7);
  const int64_t hidden = s.hidden, input = s.label + memories * s.width;
  const int64_t batch = std::accumulate(s.groups.begin(), s.groups.end(), int64_t{0});
  auto random = [&](torch::IntArrayRef shape) { return torch::randn(shape, type) * s.scale; };
  Case c;
  c.steps = s.steps;
  c.weights = {
      random({s.label_ids, s.label}), random({hidden, hidden}),     random({hidden}),     random({hidden}),
      random({3 * hidden, input}),    random({3 * hidden, hidden}), random({3 * hidden}), random({3 * hidden})};
  c.labels = torch::randint(s.label_ids, {s.steps, batch}, torch::kInt64);
  c.labels[0].fill_(2);  // several documents read the same label
  if (masked) c.masks = (torch::rand({s.steps, batch, s.label}) > 0.4).to(type) * 1.5;
  for (int64_t documents : s.groups) {
    DecoderGroup group{torch::randn({documents, hidden}, type), {}};
    for (int64_t m = 0; m < memories; ++m) {
      const int64_t positions = 4 + 2 * (documents % 5) - m;
      Tensor lengths = torch::full({documents}, positions, torch::kInt64);
      lengths[documents - 1] = positions - 2 - m;
      group.memories.push_back({torch::randn({documents, positions, s.width}, type),
                                torch::randn({documents, positions, hidden}, type), lengths});
    }
    c.groups.push_back(group);
  }
  return c;
}

// The features of one group with LibTorch's operations; first: its first document's place in the batch.
Tensor plain_features(const Case& c, const DecoderGroup& group, int64_t first) {
  const DecoderWeights& w = c.weights;
  const int64_t documents = group.first.size(0);
  Tensor state = group.first;
  std::vector<Tensor> features;
  for (int64_t t = 0; t < c.steps; ++t) {
    Tensor label = w.label_vectors.index_select(0, c.labels[t].narrow(0, first, documents));
    if (c.masks.defined()) label = label * c.masks[t].narrow(0, first, documents);
    const Tensor query = torch::linear(state, w.query_weight, w.query_bias).unsqueeze(1);
    std::vector<Tensor> contexts;
    for (const DecoderMemory& memory : group.memories) {
      const Tensor outside = torch::arange(memory.keys.size(1)).unsqueeze(0) >= memory.lengths.unsqueeze(1);
      const Tensor energies = torch::matmul(torch::tanh(query + memory.keys), w.v);
      const Tensor weights = energies.masked_fill(outside, -INFINITY).softmax(1);
      contexts.push_back(torch::bmm(weights.unsqueeze(1), memory.states).squeeze(1));
    }
    const Tensor seen = torch::cat(contexts, 1);
    state = torch::gru_cell(torch::cat({label, seen}, 1), state, w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh);
    features.push_back(torch::cat({state, seen, label}, 1));
  }
  return torch::stack(features);
}

struct Outcome {
  Tensor features;
  std::vector<Tensor> gradients;  // of (features * direction).sum(), in the order of Case::tensors()
};

// With autograd and in float64, whatever the case has.
Outcome plain_outcome(Case c, const Tensor& direction) {
  if (c.masks.defined()) c.masks = c.masks.to(torch::kFloat64);
  std::vector<Tensor> inputs;
  for (Tensor* tensor : Case::tensors(c.weights, c.groups)) {
    *tensor = tensor->to(torch::kFloat64).clone().requires_grad_();
    inputs.push_back(*tensor);
  }
  std::vector<Tensor> parts;
  int64_t first = 0;
  for (const DecoderGroup& group : c.groups) {
    parts.push_back(plain_features(c, group, first));
    first += group.first.size(0);
  }
  const Tensor features = torch::cat(parts, 1);
  return {features.detach(), torch::autograd::grad({(features * direction).sum()}, inputs)};
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
TEST(DecoderRun, FiniteDifferencesWithTwoMemoriesAndDropout) { expect_finite_differences(make_case(2, true)); }

// Sizes at which loops over units run whole vectors and a rest, and products more than one block.
TEST(DecoderRun, AgreesWithPlainAtRealSizes) {
  for (int64_t hidden : {37, 301}) {
    for (int64_t memories : {1, 2}) {
      for (const auto& [type, tolerance] :
           std::vector<std::pair<torch::Dtype, double>>{{torch::kFloat32, 1e-5}, {torch::kFloat64, 1e-12}}) {
        const Sizes sizes{hidden, 130, 2 * hidden, 12, 40, {23, 27}, 1 / std::sqrt(double(hidden))};
        const Case c = make_case(memories, /*masked=*/memories == 2, sizes, type);
        const Tensor direction = torch::randn_like(c.features());
        const Outcome plain = plain_outcome(c, direction);
        for_each_target([&, tolerance = tolerance] {
          SCOPED_TRACE(::testing::Message() << hidden << " units, " << memories << " memories");
          EXPECT_LE(relative_difference(c.features(), plain.features), tolerance);
          const auto gradients = c.gradients(direction);
          ASSERT_EQ(gradients.size(), plain.gradients.size());
          for (size_t i = 0; i < gradients.size(); ++i) {
            EXPECT_LE(relative_difference(gradients[i], plain.gradients[i]), tolerance) << "input " << i;
          }
        });
      }
    }
  }
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

// At a size where more than one block takes part.
TEST(DecoderRun, AnyNumberOfThreadsGivesTheSameBits) {
  const Case c = make_case(2, true, {301, 130, 602, 3, 40, {23, 27}, 0.05}, torch::kFloat32);
  const Tensor direction = torch::randn_like(c.features());
  set_threads(1);
  const Tensor features = c.features();
  const auto gradients = c.gradients(direction);
  for (int threads : {2, 5}) {
    set_threads(threads);
    EXPECT_TRUE(torch::equal(c.features(), features));
    const auto again = c.gradients(direction);
    for (size_t i = 0; i < again.size(); ++i) EXPECT_TRUE(torch::equal(again[i], gradients[i])) << i;
  }
  set_threads(0);
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
