#include "otseq2set/autograd/light_conv.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/highway_targets.h"
#include "support/torch_golden.h"

namespace otseq2set::testing {
namespace {

using torch::Tensor;
using Layer = Tensor (*)(const Tensor&, const Tensor&, int64_t, const Tensor&);

struct Case {
  Tensor x, weight, lengths, y_gradient;
  int64_t stride;
};

// Lengths default to all words.
Case make_case(torch::IntArrayRef x_shape, int64_t heads, int64_t kernel, int64_t stride, torch::Dtype type,
               const std::vector<int64_t>& lengths = {}) {
  torch::manual_seed(heads * 100 + kernel);
  const int64_t positions = (x_shape[1] - kernel) / stride + 1;
  Case c;
  c.x = torch::randn(x_shape, type);
  c.weight = torch::randn({heads, 1, kernel}, type);
  c.lengths = lengths.empty() ? torch::full({x_shape[0]}, x_shape[1], torch::kInt64) : torch::tensor(lengths);
  c.y_gradient = torch::randn({x_shape[0], positions, x_shape[2]}, type);
  c.stride = stride;
  return c;
}

struct Result {
  Tensor y, x_gradient, weight_gradient;
};

Result run(Layer layer, const Case& c) {
  const Tensor x = c.x.detach().clone().requires_grad_(), weight = c.weight.detach().clone().requires_grad_();
  const Tensor y = layer(x, weight, c.stride, c.lengths);
  y.backward(c.y_gradient);
  return {y.detach(), x.grad(), weight.grad()};
}

void expect_agreement(const Case& c) {
  const double tolerance = c.x.scalar_type() == torch::kFloat32 ? 1e-5 : 1e-12;
  // A kernel of one tap is always 1 and its gradient nothing but rounding.
  const double weight_floor = c.weight.size(2) == 1 ? 100 : 0;
  const Result plain = run(light_conv_layer_plain, c);
  for_each_target([&] {
    const Result fused = run(light_conv_layer, c);
    EXPECT_LE(relative_difference(fused.y, plain.y), tolerance);
    EXPECT_LE(relative_difference(fused.x_gradient, plain.x_gradient), tolerance);
    EXPECT_LE(relative_difference(fused.weight_gradient, plain.weight_gradient, weight_floor), tolerance);
  });
}

class LightConvKernel : public ::testing::TestWithParam<torch::Dtype> {};
INSTANTIATE_TEST_SUITE_P(Types, LightConvKernel, ::testing::Values(torch::kFloat32, torch::kFloat64),
                         [](const auto& info) {
                           return std::string(info.param == torch::kFloat32 ? "float32" : "float64");
                         });

TEST_P(LightConvKernel, AgreesWithPlain) {
  for (int64_t channels : {96, 100}) {
    for (int64_t kernel : {3, 7, 15, 30}) {
      for (int64_t stride : {1, 3, 4}) {
        for (int64_t heads : {int64_t{1}, int64_t{2}, int64_t{7}, channels}) {
          SCOPED_TRACE(::testing::Message() << channels << " channels, kernel " << kernel << ", stride " << stride
                                            << ", " << heads << " heads");
          expect_agreement(make_case({2, 80, channels}, heads, kernel, stride, GetParam()));
        }
      }
    }
  }
}

// More positions than are worked on at a time, and sizes around the vectors' and blocks'.
TEST_P(LightConvKernel, AgreesWithPlainAtAnySize) {
  for (int64_t words : {63, 64, 65, 128, 150, 200}) {
    for (int64_t channels : {1, 5, 31, 64, 65}) {
      for (int64_t stride : {1, 2, 5}) {
        SCOPED_TRACE(::testing::Message() << words << " words, " << channels << " channels, stride " << stride);
        expect_agreement(make_case({1, words, channels}, channels, 9, stride, GetParam()));
      }
    }
  }
}

TEST_P(LightConvKernel, AgreesWithPlainOnRaggedLengths) {
  for (int64_t stride : {1, 3}) {
    for (int64_t kernel : {3, 30}) {
      SCOPED_TRACE(::testing::Message() << "kernel " << kernel << ", stride " << stride);
      expect_agreement(make_case({6, 170, 72}, 72, kernel, stride, GetParam(), {170, 169, 100, 30, 29, 0}));
    }
  }
}

TEST_P(LightConvKernel, EdgeCases) {
  const torch::Dtype type = GetParam();
  expect_agreement(make_case({2, 30, 20}, 20, 30, 1, type));  // one window
  expect_agreement(make_case({2, 30, 20}, 20, 30, 3, type));  // the same, strided
  expect_agreement(make_case({2, 40, 20}, 4, 1, 1, type));    // one tap
  expect_agreement(make_case({2, 40, 20}, 4, 3, 17, type));   // words between the windows
  expect_agreement(make_case({2, 1, 1}, 1, 1, 1, type));
  expect_agreement(make_case({2, 400, 3}, 3, 150, 2, type));  // wider than what is worked on at a time
  const Case none = make_case({0, 40, 20}, 4, 3, 1, type);
  EXPECT_EQ(light_conv_layer(none.x, none.weight, 1, none.lengths).sizes(), torch::IntArrayRef({0, 38, 20}));
}

TEST_P(LightConvKernel, TakesAnyLayout) {
  const Case c = make_case({2, 40, 20}, 20, 7, 3, GetParam());
  const Tensor expected = light_conv_layer(c.x, c.weight, 3, c.lengths);
  const Tensor x = c.x.transpose(1, 2).contiguous().transpose(1, 2).requires_grad_();
  const Tensor weight = c.weight.transpose(0, 2).contiguous().transpose(0, 2);
  const Tensor y = light_conv_layer(x, weight, 3, c.lengths);
  EXPECT_TRUE(torch::equal(y, expected));
  y.sum().backward();  // an expanded gradient
  EXPECT_GT(x.grad().abs().max().item<double>(), 0);
}

TEST_P(LightConvKernel, OnlyWantedGradients) {
  const Case c = make_case({2, 80, 20}, 20, 7, 3, GetParam());
  const Result both = run(light_conv_layer, c);
  const Tensor x = c.x.clone().requires_grad_(), weight = c.weight.clone().requires_grad_();
  light_conv_layer(x, c.weight, c.stride, c.lengths).backward(c.y_gradient);
  light_conv_layer(c.x, weight, c.stride, c.lengths).backward(c.y_gradient);
  EXPECT_TRUE(torch::equal(x.grad(), both.x_gradient));
  EXPECT_TRUE(torch::equal(weight.grad(), both.weight_gradient));
  EXPECT_FALSE(light_conv_layer(c.x, c.weight, c.stride, c.lengths).requires_grad());
}

// What stands behind a document's end, in the states or in the gradients, is never looked at.
TEST_P(LightConvKernel, PaddingDoesNotLeak) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Layer layer : {light_conv_layer, light_conv_layer_plain}) {
    for (int64_t stride : {1, 3}) {
      Case c = make_case({3, 90, 70}, 70, 7, stride, GetParam(), {90, 41, 5});
      const Result clean = run(layer, c);
      const Tensor output_lengths = light_conv_lengths(c.lengths, 7, stride);
      for (int64_t row = 0; row < 3; ++row) {
        const int64_t inside = output_lengths[row].item<int64_t>();
        EXPECT_TRUE(clean.y[row].slice(0, inside).eq(0).all().item<bool>());
        c.x[row].slice(0, c.lengths[row].item<int64_t>()).fill_(nan);
        c.y_gradient[row].slice(0, inside).fill_(nan);
      }
      const Result dirty = run(layer, c);
      EXPECT_TRUE(torch::equal(clean.y, dirty.y));
      EXPECT_TRUE(torch::equal(clean.x_gradient, dirty.x_gradient));
      EXPECT_TRUE(torch::equal(clean.weight_gradient, dirty.weight_gradient));
    }
  }
}

// A padded batch gives each document what it gets alone, to the last bit.
TEST_P(LightConvKernel, DocumentsAreIndependent) {
  const Case c = make_case({3, 90, 70}, 70, 7, 3, GetParam(), {90, 41, 20});
  const Tensor together = light_conv_layer(c.x, c.weight, 3, c.lengths);
  for (int64_t row = 0; row < 3; ++row) {
    const int64_t length = c.lengths[row].item<int64_t>();
    const Tensor x = c.x.slice(0, row, row + 1).slice(1, 0, length);
    const Tensor alone = light_conv_layer(x, c.weight, 3, c.lengths.slice(0, row, row + 1));
    EXPECT_TRUE(torch::equal(together[row].slice(0, 0, alone.size(1)), alone[0]));
  }
}

TEST_P(LightConvKernel, NotANumberStaysSo) {
  Case c = make_case({1, 20, 9}, 9, 3, 1, GetParam());
  c.x[0][10][4] = std::numeric_limits<double>::quiet_NaN();
  const Tensor y = light_conv_layer(c.x, c.weight, 1, c.lengths);
  EXPECT_EQ(y.isnan().sum().item<int64_t>(), 3);
  EXPECT_TRUE(y[0][8][4].isnan().item<bool>());
}

TEST_P(LightConvKernel, RejectsWrongShapes) {
  const Case c = make_case({2, 20, 9}, 9, 3, 1, GetParam());
  for (Layer layer : {light_conv_layer, light_conv_layer_plain}) {
    EXPECT_THROW(layer(c.x.slice(1, 0, 2), c.weight, 1, c.lengths.clamp_max(2)),
                 c10::Error);                                                     // words < kernel
    EXPECT_THROW(layer(c.x.slice(2, 0, 8), c.weight, 1, c.lengths), c10::Error);  // heads > channels
    EXPECT_THROW(layer(c.x, c.weight, 0, c.lengths), c10::Error);
    EXPECT_THROW(layer(c.x, c.weight, 1, c.lengths + 1), c10::Error);
    EXPECT_THROW(layer(c.x, c.weight, 1, c.lengths.slice(0, 0, 1)), c10::Error);
    EXPECT_THROW(layer(c.x, c.weight.to(torch::kFloat16), 1, c.lengths), c10::Error);
  }
}

// Every gradient against (f(v + h) - f(v - h)) / 2h, f = sum of y * y_gradient.
void expect_finite_differences(const Case& c) {
  const double h = 1e-6;
  auto f = [&] { return (light_conv_layer(c.x, c.weight, c.stride, c.lengths) * c.y_gradient).sum().item<double>(); };
  const Result result = run(light_conv_layer, c);
  for (auto [value, gradient] : {std::pair{c.x, result.x_gradient}, std::pair{c.weight, result.weight_gradient}}) {
    double* v = value.data_ptr<double>();
    for (int64_t i = 0; i < value.numel(); ++i) {
      const double before = v[i];
      v[i] = before + h;
      const double above = f();
      v[i] = before - h;
      const double below = f();
      v[i] = before;
      EXPECT_NEAR(gradient.data_ptr<double>()[i], (above - below) / (2 * h), 1e-7) << i;
    }
  }
}

TEST(LightConvKernelGradients, FiniteDifferences) {
  for (int64_t heads : {1, 2, 5}) {
    for (int64_t stride : {1, 2, 4}) {
      SCOPED_TRACE(::testing::Message() << heads << " heads, stride " << stride);
      expect_finite_differences(make_case({2, 9, 5}, heads, 3, stride, torch::kFloat64, {9, 7}));
    }
  }
}

TEST(LightConvKernelLengths, OfOutputs) {
  const Tensor lengths = torch::tensor({0, 2, 3, 4, 5, 6, 9}, torch::kInt64);
  EXPECT_TRUE(torch::equal(light_conv_lengths(lengths, 3, 1), torch::tensor({0, 0, 1, 2, 3, 4, 7}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(light_conv_lengths(lengths, 3, 3), torch::tensor({0, 0, 1, 1, 1, 2, 3}, torch::kInt64)));
}

}  // namespace
}  // namespace otseq2set::testing
