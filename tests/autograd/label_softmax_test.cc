#include "otseq2set/autograd/label_softmax.h"

#include <gtest/gtest.h>

#include <cmath>

#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/row_math.h"
#include "support/highway_targets.h"
#include "support/torch_golden.h"

namespace otseq2set::testing {
namespace {

using torch::Tensor;

// More labels, rows and columns than one block or tile has, and a last one that is not full.
constexpr int64_t kRows = 271, kWidth = 133, kLabels = 1100, kVectorWidth = 11;

struct Case {
  explicit Case(torch::Dtype dtype) {
    torch::manual_seed(1);
    auto random = [&](torch::IntArrayRef shape) { return torch::randn(shape, dtype); };
    in = random({kRows, kWidth}) / std::sqrt(double(kWidth));
    weight = random({kLabels, kWidth});
    bias = random({kLabels});
    vectors = random({kLabels, kVectorWidth});
    loss.vectors = vectors;
    loss.vector_gradients = random({kRows, kVectorWidth});
    for (int64_t row = 0; row < kRows; ++row) {
      loss.targets.push_back(row * 37 % kLabels);
      loss.weights.push_back(row % 5 == 0 ? 0 : 0.1 * static_cast<double>(row % 7));
    }
  }
  Tensor in, weight, bias, vectors;
  RowLoss loss;
};

class LabelSoftmaxTest : public ::testing::TestWithParam<torch::Dtype> {
 protected:
  double tolerance() const { return GetParam() == torch::kFloat32 ? 1e-5 : 1e-12; }
  void TearDown() override { set_threads(0); }
};
INSTANTIATE_TEST_SUITE_P(Types, LabelSoftmaxTest, ::testing::Values(torch::kFloat32, torch::kFloat64),
                         [](const auto& info) {
                           return std::string(info.param == torch::kFloat32 ? "float32" : "float64");
                         });

// Forward, loss and backward against LibTorch's.
void expect_agreement(Case c, double tolerance) {
  LabelSoftmax softmax(c.weight, c.bias, kRows);
  // In two parts, as steps come one after the other.
  const Tensor best = torch::cat({softmax.forward(c.in.slice(0, 0, 30), 0), softmax.forward(c.in.slice(0, 30), 30)});
  for (Tensor* tensor : {&c.in, &c.weight, &c.bias}) *tensor = tensor->detach().requires_grad_();
  const Tensor logits = torch::linear(c.in, c.weight, c.bias), log_p = logits.log_softmax(1);
  EXPECT_LE(relative_difference(softmax.logits(), logits.detach()), tolerance);
  EXPECT_LE(relative_difference(softmax.log_sums(), logits.detach().logsumexp(1)), tolerance);
  EXPECT_TRUE(torch::equal(best, logits.argmax(1)));
  EXPECT_NEAR(softmax.log_probability(3, 700), log_p[3][700].item<double>(), 10 * tolerance);

  softmax.normalise();
  EXPECT_LE(relative_difference(softmax.logits(), log_p.detach().exp()), 10 * tolerance);
  c.loss.expected = softmax.expected_vectors(c.vectors);
  const Tensor x = torch::mm(log_p.exp(), c.vectors);
  EXPECT_LE(relative_difference(c.loss.expected, x.detach()), 10 * tolerance);

  Tensor value = (x * c.loss.vector_gradients).sum();
  for (int64_t row = 0; row < kRows; ++row) value = value - c.loss.weights[row] * log_p[row][c.loss.targets[row]];
  const auto expected = torch::autograd::grad({value}, {c.in, c.weight, c.bias});
  Tensor weight_gradient = torch::full_like(c.weight.detach(), 9), bias_gradient = torch::full_like(c.bias.detach(), 9);
  torch::NoGradGuard no_gradient;
  const Tensor in_gradient = softmax.backward(c.in.detach(), c.loss, weight_gradient, bias_gradient);
  EXPECT_LE(relative_difference(in_gradient, expected[0]), 10 * tolerance);
  EXPECT_LE(relative_difference(weight_gradient, expected[1]), 10 * tolerance);
  EXPECT_LE(relative_difference(bias_gradient, expected[2]), 10 * tolerance);
}

TEST_P(LabelSoftmaxTest, EqualsLibTorchForwardAndBackward) {
  for_each_target([&] { expect_agreement(Case(GetParam()), tolerance()); });
}

TEST_P(LabelSoftmaxTest, AnyNumberOfThreadsGivesTheSameBits) {
  std::vector<Tensor> before;
  for (int threads : {1, 2, 5}) {
    set_threads(threads);
    Case c(GetParam());
    LabelSoftmax softmax(c.weight, c.bias, kRows);
    softmax.forward(c.in, 0);
    softmax.normalise();
    c.loss.expected = softmax.expected_vectors(c.vectors);
    Tensor weight_gradient = torch::empty_like(c.weight), bias_gradient = torch::empty_like(c.bias);
    const Tensor in_gradient = softmax.backward(c.in, c.loss, weight_gradient, bias_gradient);
    const std::vector<Tensor> now = {softmax.log_sums(), c.loss.expected, in_gradient, weight_gradient, bias_gradient};
    for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(torch::equal(now[i], before[i])) << i;
    before = now;
  }
}

TEST_P(LabelSoftmaxTest, ALogitThatIsNotFiniteShowsInItsSum) {
  for (double bad : {std::nan(""), HUGE_VAL}) {
    Case c(GetParam());
    c.bias[1099] = bad;
    LabelSoftmax softmax(c.weight, c.bias, kRows);
    softmax.forward(c.in, 0);
    EXPECT_FALSE(torch::isfinite(softmax.log_sums()).any().item<bool>()) << bad;
  }
}

// Rounding log sum exp to the logits' own size would cost a probability its digits.
TEST_P(LabelSoftmaxTest, LargeLogitsKeepTheirProbabilities) {
  for (double offset : {-1e5, 1e5}) {
    Case c(GetParam());
    c.bias += offset;
    LabelSoftmax softmax(c.weight, c.bias, kRows);
    softmax.forward(c.in, 0);
    const Tensor expected = softmax.logits().to(torch::kFloat64).softmax(1);
    EXPECT_NEAR(std::exp(softmax.log_probability(3, 700)) / expected[3][700].item<double>(), 1, 1e-5);
    softmax.normalise();
    EXPECT_LE((softmax.logits() / expected - 1).abs().max().item<double>(), 1e-5) << offset;
  }
}

TEST(SoftmaxRows, PeakOfRowsOfAnyLength) {
  for (int64_t count : {1, 2, 7, 8, 9, 31, 100}) {
    for (int64_t place : {int64_t{0}, count / 2, count - 1}) {
      std::vector<float> row(count, -2);
      row[place] = 50;
      row[count - 1] = std::max(row[count - 1], 1.0F);
      const RowPeak<float> peak = row_peak(row.data(), count);
      EXPECT_EQ(peak.largest, 50);
      EXPECT_EQ(peak.place, place);
      EXPECT_NEAR(peak.sum, 1, 1e-6);
    }
  }
  const std::vector<double> ties = {1, 3, 3, 2, 3};
  EXPECT_EQ(row_peak(ties.data(), 5).place, 1) << "the first of equal ones";
}

}  // namespace
}  // namespace otseq2set::testing
