#include "otseq2set/autograd/gru.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>

#include "otseq2set/core/threads.h"
#include "support/highway_targets.h"

namespace otseq2set {
namespace {

using torch::Tensor;

// Everything a call takes. `mix` makes a scalar of the states, in which every real state has its own weight.
struct Case {
  Tensor x, lengths, mix;
  std::vector<Tensor> parameters;

  std::vector<Tensor> variables() const {
    std::vector<Tensor> all = {x};
    all.insert(all.end(), parameters.begin(), parameters.end());
    return all;
  }
  void require_gradients() {
    for (Tensor& tensor : variables()) tensor.requires_grad_();
  }
};

Case make_case(const std::vector<int64_t>& lengths, int64_t words, int64_t input, int64_t hidden, torch::Dtype type) {
  torch::manual_seed(7);
  const auto documents = static_cast<int64_t>(lengths.size());
  const auto options = torch::TensorOptions(type);
  Case c{torch::randn({documents, words, input}, options), torch::tensor(lengths), {}, {}};
  c.mix = torch::randn({documents, words, 2 * hidden}, options);
  for (int direction = 0; direction < 2; ++direction) {
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{3 * hidden, input}, {3 * hidden, hidden}, {3 * hidden}, {3 * hidden}}) {
      c.parameters.push_back(torch::randn(shape, options) / std::sqrt(static_cast<double>(hidden)));
    }
  }
  return c;
}

using Gru = Tensor (*)(const Tensor&, const Tensor&, const std::vector<Tensor>&);

struct Outcome {
  Tensor states;
  std::vector<Tensor> gradients;
};

Outcome outcome(Gru gru, const Case& c) {
  const Tensor states = gru(c.x, c.lengths, c.parameters);
  return {states.detach(), torch::autograd::grad({(states * c.mix).sum()}, c.variables())};
}

// The largest difference, against the size of the expected values unless they are all zero.
double distance(const Tensor& actual, const Tensor& expected) {
  const double difference = (actual - expected).abs().max().item<double>();
  const double size = expected.abs().max().item<double>();
  return size > 0 ? difference / size : difference;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() &&
         std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.numel() * a.element_size()) == 0;
}

void expect_same_bytes(const Outcome& a, const Outcome& b) {
  EXPECT_TRUE(same_bytes(a.states, b.states));
  for (size_t i = 0; i < a.gradients.size(); ++i) EXPECT_TRUE(same_bytes(a.gradients[i], b.gradients[i])) << i;
}

void expect_agrees_with_plain(Case c, double tolerance) {
  c.require_gradients();
  const Outcome plain = outcome(bidirectional_gru_plain, c);
  testing::for_each_target([&] {
    const Outcome fused = outcome(bidirectional_gru, c);
    EXPECT_LT(distance(fused.states, plain.states), tolerance);
    for (size_t i = 0; i < plain.gradients.size(); ++i) {
      EXPECT_LT(distance(fused.gradients[i], plain.gradients[i]), tolerance) << "variable " << i;
    }
  });
}

constexpr double kFloatTolerance = 1e-5, kDoubleTolerance = 1e-12;

struct Sizes {
  std::string name;
  std::vector<int64_t> lengths;
  int64_t words, input, hidden;
};
void PrintTo(const Sizes& sizes, std::ostream* out) { *out << sizes.name; }

class GruSizes : public ::testing::TestWithParam<Sizes> {};

TEST_P(GruSizes, FloatAgreesWithPlain) {
  const Sizes& s = GetParam();
  expect_agrees_with_plain(make_case(s.lengths, s.words, s.input, s.hidden, torch::kFloat32), kFloatTolerance);
}

TEST_P(GruSizes, DoubleAgreesWithPlain) {
  const Sizes& s = GetParam();
  expect_agrees_with_plain(make_case(s.lengths, s.words, s.input, s.hidden, torch::kFloat64), kDoubleTolerance);
}

INSTANTIATE_TEST_SUITE_P(
    All, GruSizes,
    ::testing::Values(Sizes{"GroupsOfFourDocumentsAndRests", {60, 57, 40, 39, 20, 7, 7, 1, 1}, 60, 48, 64},
                      Sizes{"UnitsThatDoNotFillVectors", {50, 31, 30, 12, 3}, 55, 48, 100},
                      Sizes{"NoPadding", {40, 40, 40}, 40, 33, 48}, Sizes{"OneDocument", {25}, 25, 16, 136},
                      Sizes{"PaddingBehindTheOnlyDocument", {25}, 40, 16, 8}, Sizes{"OneUnit", {9, 4}, 9, 5, 1},
                      Sizes{"FourUnits", {9, 4, 4}, 9, 5, 4}, Sizes{"OneInput", {9, 8, 7, 6, 5, 4}, 9, 1, 12},
                      Sizes{"OneWord", {1, 1, 1, 1, 1}, 1, 3, 7}),
    [](const auto& info) { return info.param.name; });

TEST(Gru, GradientsAgreeWithFiniteDifferences) {
  Case c = make_case({5, 3, 1}, 6, /*input=*/2, /*hidden=*/3, torch::kFloat64);
  const auto value = [&] { return (bidirectional_gru(c.x, c.lengths, c.parameters) * c.mix).sum().item<double>(); };
  constexpr double kStep = 1e-5, kTolerance = 1e-8;  // the error of central differences is of order kStep^2
  c.require_gradients();
  const std::vector<Tensor> gradients = outcome(bidirectional_gru, c).gradients;
  torch::NoGradGuard no_gradient;
  for (size_t variable = 0; variable < gradients.size(); ++variable) {
    const Tensor values = c.variables()[variable].flatten(), gradient = gradients[variable].flatten();
    for (int64_t i = 0; i < values.numel(); ++i) {
      values[i] += kStep;
      const double above = value();
      values[i] -= 2 * kStep;
      const double below = value();
      values[i] += kStep;
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), kTolerance) << variable << ": " << i;
    }
  }
}

TEST(Gru, PaddingIsZeroAndNothingOfItIsRead) {
  Case c = make_case({12, 9, 5, 5, 2}, 14, 6, 20, torch::kFloat32);
  Case dirty = c;
  dirty.x = c.x.clone();
  dirty.mix = c.mix.clone();
  for (int64_t i = 0; i < 5; ++i) {
    const int64_t length = c.lengths[i].item<int64_t>();
    dirty.x[i].narrow(0, length, 14 - length).fill_(std::numeric_limits<float>::quiet_NaN());
    dirty.mix[i].narrow(0, length, 14 - length).fill_(1e30);
  }
  c.require_gradients();
  dirty.require_gradients();
  const Outcome clean = outcome(bidirectional_gru, c), other = outcome(bidirectional_gru, dirty);
  expect_same_bytes(clean, other);
  for (int64_t i = 0; i < 5; ++i) {
    const int64_t length = c.lengths[i].item<int64_t>();
    EXPECT_TRUE((other.states[i].narrow(0, length, 14 - length) == 0).all().item<bool>());
    EXPECT_TRUE((other.gradients[0][i].narrow(0, length, 14 - length) == 0).all().item<bool>());
  }
}

TEST(Gru, DocumentHasTheSameStatesInAnyBatch) {
  const Case c = make_case({30, 28, 17, 17, 11, 6, 2}, 30, 24, 40, torch::kFloat32);
  const Tensor together = bidirectional_gru(c.x, c.lengths, c.parameters);
  for (int64_t i = 0; i < 7; ++i) {
    const Tensor alone = bidirectional_gru(c.x.narrow(0, i, 1), c.lengths.narrow(0, i, 1), c.parameters);
    EXPECT_LT(distance(alone, together.narrow(0, i, 1)), kFloatTolerance) << i;
  }
}

TEST(Gru, LargeValuesSaturate) {
  Case c = make_case({6, 2}, 6, 4, 10, torch::kFloat32);
  c.x *= 1e30;
  const Tensor states = bidirectional_gru(c.x, c.lengths, c.parameters);
  EXPECT_LT(distance(states, bidirectional_gru_plain(c.x, c.lengths, c.parameters)), kFloatTolerance);
  EXPECT_LE(states.abs().max().item<float>(), 1.0f);
}

TEST(Gru, NanInAWordReachesTheStates) {
  Case c = make_case({6}, 6, 4, 10, torch::kFloat32);
  c.x[0][3][1] = std::numeric_limits<float>::quiet_NaN();
  const Tensor bad = bidirectional_gru(c.x, c.lengths, c.parameters).isnan();
  EXPECT_TRUE(bad[0][3].all().item<bool>());
  EXPECT_FALSE(bad[0].narrow(0, 0, 3).narrow(1, 0, 10).any().item<bool>());
}

TEST(Gru, GradientsOnlyOfWhatNeedsThem) {
  Case c = make_case({8, 5}, 8, 6, 9, torch::kFloat32);
  Case all = c;
  all.x = c.x.clone();
  for (Tensor& parameter : all.parameters) parameter = parameter.clone();
  all.require_gradients();
  const Outcome expected = outcome(bidirectional_gru, all);
  const auto gradient = [&](const Tensor& variable) {
    variable.requires_grad_(true);
    const Tensor loss = (bidirectional_gru(c.x, c.lengths, c.parameters) * c.mix).sum();
    const Tensor result = torch::autograd::grad({loss}, {variable})[0];
    variable.requires_grad_(false);
    return result;
  };
  const std::vector<Tensor> variables = c.variables();
  for (size_t i = 0; i < variables.size(); ++i) {
    EXPECT_TRUE(same_bytes(gradient(variables[i]), expected.gradients[i])) << i;
  }
  EXPECT_FALSE(bidirectional_gru(c.x, c.lengths, c.parameters).requires_grad());
}

TEST(Gru, NoGradientModeGivesTheSameStates) {
  Case c = make_case({8, 5, 5}, 9, 6, 17, torch::kFloat32);
  c.require_gradients();
  const Tensor with = bidirectional_gru(c.x, c.lengths, c.parameters);
  torch::NoGradGuard no_gradient;
  const Tensor without = bidirectional_gru(c.x, c.lengths, c.parameters);
  EXPECT_FALSE(without.requires_grad());
  EXPECT_TRUE(same_bytes(with, without));
}

TEST(Gru, TakesInputThatIsNotContiguous) {
  const Case c = make_case({8, 8, 5}, 8, 6, 12, torch::kFloat64);
  Case other = c;
  other.x = c.x.transpose(0, 2).contiguous().transpose(0, 2);
  other.parameters[1] = c.parameters[1].t().contiguous().t();
  EXPECT_TRUE(same_bytes(bidirectional_gru(c.x, c.lengths, c.parameters),
                         bidirectional_gru(other.x, c.lengths, other.parameters)));
}

TEST(Gru, SecondBackwardIsRefused) {
  Case c = make_case({4, 2}, 4, 3, 5, torch::kFloat32);
  c.require_gradients();
  const Tensor loss = bidirectional_gru(c.x, c.lengths, c.parameters).sum();
  loss.backward({}, /*retain_graph=*/true);
  EXPECT_THROW(loss.backward(), c10::Error);
}

TEST(Gru, WrongLengthsAreRefused) {
  const Case c = make_case({4, 2}, 4, 3, 5, torch::kFloat32);
  for (const std::vector<int64_t>& lengths : std::vector<std::vector<int64_t>>{{2, 4}, {5, 2}, {4, 0}}) {
    EXPECT_THROW(bidirectional_gru(c.x, torch::tensor(lengths), c.parameters), std::invalid_argument);
  }
}

class GruThreads : public ::testing::Test {
 protected:
  void TearDown() override { set_threads(before_); }

 private:
  int before_ = thread_count();
};

TEST_F(GruThreads, SameBytesInAndOutsideParallelLoops) {
  Case c = make_case({90, 71, 70, 55, 20, 9}, 90, 40, 72, torch::kFloat32);
  c.require_gradients();
  const int openmp_before = omp_get_max_threads();
  omp_set_num_threads(2);
  set_threads(1);
  const Outcome expected = outcome(bidirectional_gru, c);
  for (int threads : {1, 2, 3}) {
    set_threads(threads);
    expect_same_bytes(outcome(bidirectional_gru, c), expected);
    std::vector<Outcome> outcomes(3);
    parallel_for(3, [&](int64_t i) { outcomes[i] = outcome(bidirectional_gru, c); });
    for (const Outcome& each : outcomes) expect_same_bytes(each, expected);
  }
  omp_set_num_threads(openmp_before);
}

}  // namespace
}  // namespace otseq2set
