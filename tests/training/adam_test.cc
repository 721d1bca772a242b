#include "otseq2set/training/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "otseq2set/autograd/choice.h"
#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"

namespace otseq2set {
namespace {

using Tensors = std::vector<torch::Tensor>;

// More values than one unit of parallel work has, and tensors of odd sizes.
const std::vector<std::vector<int64_t>> kShapes = {{300, 301}, {1}, {7, 3, 2}};

Tensors random_tensors(uint64_t seed, double range) {
  Tensors tensors;
  for (size_t i = 0; i < kShapes.size(); ++i) {
    RandomStream random(seed, "adam test", {i});
    tensors.push_back(torch::empty(kShapes[i]));
    for (int64_t j = 0; j < tensors[i].numel(); ++j) {
      tensors[i].data_ptr<float>()[j] = static_cast<float>(random.uniform(-range, range));
    }
  }
  return tensors;
}

Tensors copy(const Tensors& tensors) {
  Tensors copies;
  for (const torch::Tensor& tensor : tensors) copies.push_back(tensor.detach().clone());
  return copies;
}

double rate_at(int step) { return 0.01 / (1 + step); }
double scale_at(int step) { return step % 3 == 1 ? 0.25 : 1.0; }
// Gradients of very different sizes, zero now and then.
Tensors gradients_at(int step) {
  Tensors gradients = random_tensors(100 + step, std::pow(10.0, step % 5 - 3));
  gradients[2].zero_();
  return gradients;
}
constexpr int kSteps = 12;

// The same, where row r of the first tensor has a gradient at every (1 + r % 4)-th step only.
Tensors idle_rows(int step) {
  Tensors gradients = gradients_at(step);
  for (int64_t row = 0; row < gradients[0].size(0); ++row) {
    if (step % (1 + row % 4) != 0) gradients[0][row].zero_();
  }
  return gradients;
}

bool same_bytes(const torch::Tensor& a, const torch::Tensor& b) {
  return std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0;
}

TEST(Adam, EqualsItsEquationsInDoublePrecision) {
  Tensors parameters = random_tensors(1, 0.5);
  std::vector<std::vector<double>> p, m, v;
  for (const torch::Tensor& tensor : parameters) {
    const auto* values = tensor.data_ptr<float>();
    p.emplace_back(values, values + tensor.numel());
    m.emplace_back(tensor.numel(), 0.0);
    v.emplace_back(tensor.numel(), 0.0);
  }
  Adam adam(parameters);
  for (int step = 0; step < kSteps; ++step) {
    const Tensors gradients = gradients_at(step);
    adam.step(gradients, rate_at(step), scale_at(step));
    for (size_t i = 0; i < p.size(); ++i) {
      for (size_t j = 0; j < p[i].size(); ++j) {
        const double g = static_cast<double>(gradients[i].data_ptr<float>()[j]) * scale_at(step);
        m[i][j] = 0.9 * m[i][j] + 0.1 * g;
        v[i][j] = 0.999 * v[i][j] + 0.001 * g * g;
        const double mean = m[i][j] / (1 - std::pow(0.9, step + 1)), square = v[i][j] / (1 - std::pow(0.999, step + 1));
        p[i][j] -= rate_at(step) * mean / (std::sqrt(square) + 1e-8);
      }
    }
  }
  EXPECT_EQ(adam.steps(), kSteps);
  for (size_t i = 0; i < p.size(); ++i) {
    for (size_t j = 0; j < p[i].size(); ++j)
      ASSERT_NEAR(parameters[i].data_ptr<float>()[j], p[i][j], 2e-6) << i << " " << j;
  }
}

TEST(Adam, EqualsLibTorchs) {
  Tensors ours = random_tensors(2, 0.5), theirs = copy(ours);
  for (torch::Tensor& tensor : theirs) tensor.requires_grad_();
  Adam adam(ours);
  torch::optim::Adam reference(theirs, torch::optim::AdamOptions(0.003));
  for (int step = 0; step < kSteps; ++step) {
    const Tensors gradients = gradients_at(step);
    adam.step(gradients, 0.003, 1.0);
    for (size_t i = 0; i < theirs.size(); ++i) theirs[i].mutable_grad() = gradients[i].clone();
    reference.step();
  }
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_LE((ours[i] - theirs[i].detach()).abs().max().item<double>(), 1e-6) << i;
  }
}

TEST(Adam, AnyNumberOfThreadsGivesTheSameBits) {
  auto run = [](int threads) {
    set_threads(threads);
    Tensors parameters = random_tensors(3, 0.5);
    Adam adam(parameters, {parameters[0]});
    double norms = 0;
    for (int step = 0; step < 4; ++step) {
      const Tensors gradients = idle_rows(step);
      norms += gradient_norm(gradients);
      adam.step(gradients, rate_at(step), scale_at(step));
    }
    set_threads(0);
    return std::pair(parameters, norms);
  };
  const auto [one, norms_of_one] = run(1);
  for (int threads : {2, 3, 8}) {
    const auto [many, norms] = run(threads);
    EXPECT_EQ(norms, norms_of_one);
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(std::memcmp(one[i].data_ptr(), many[i].data_ptr(), one[i].nbytes()), 0) << threads << " threads";
    }
  }
}

TEST(Adam, NoGradientNoMove) {
  Tensors parameters = random_tensors(4, 0.5);
  const Tensors before = copy(parameters);
  Tensors zeros = copy(parameters);
  for (torch::Tensor& tensor : zeros) tensor.zero_();
  Adam(parameters).step(zeros, 0.1, 1.0);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(torch::equal(parameters[i], before[i]));
}

TEST(Adam, LazyLeavesIdleRowsAlone) {
  Tensors lazy = random_tensors(6, 0.5), dense = copy(lazy);
  Adam lazy_adam(lazy, {lazy[0]}), dense_adam(dense);
  for (int step = 0; step < kSteps; ++step) {
    const Tensors gradients = idle_rows(step), before = copy(lazy), first = copy(lazy_adam.first_moments()),
                  second = copy(lazy_adam.second_moments());
    lazy_adam.step(gradients, rate_at(step), scale_at(step));
    dense_adam.step(gradients, rate_at(step), scale_at(step));
    for (int64_t row = 0; row < lazy[0].size(0); ++row) {
      const bool idle = step % (1 + row % 4) != 0;
      EXPECT_EQ(same_bytes(lazy[0][row], before[0][row]), idle) << step << ' ' << row;
      EXPECT_EQ(same_bytes(lazy_adam.first_moments()[0][row], first[0][row]), idle) << step << ' ' << row;
      EXPECT_EQ(same_bytes(lazy_adam.second_moments()[0][row], second[0][row]), idle) << step << ' ' << row;
    }
  }
  for (int64_t row = 0; row < lazy[0].size(0); ++row) {
    EXPECT_EQ(same_bytes(lazy[0][row], dense[0][row]), row % 4 == 0) << "row " << row;
  }
  for (size_t i = 1; i < lazy.size(); ++i) EXPECT_TRUE(same_bytes(lazy[i], dense[i])) << i;
}

// A row that comes back has the moments that it had, and the bias corrections of all steps.
TEST(Adam, LazyRowGoesOnFromItsMoments) {
  torch::Tensor parameter = torch::zeros({1, 3});
  Adam adam({parameter}, {parameter});
  double p = 0, m = 0, v = 0;
  for (int step = 1; step <= 9; ++step) {
    const double g = step % 4 == 1 ? 0.1 * step : 0;
    adam.step({torch::full({1, 3}, g, torch::kFloat32)}, 0.01, 1.0);
    if (g == 0) continue;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    p -= 0.01 * m / (1 - std::pow(0.9, step)) / (std::sqrt(v / (1 - std::pow(0.999, step))) + 1e-8);
  }
  for (int64_t j = 0; j < 3; ++j) EXPECT_NEAR(parameter[0][j].item<double>(), p, 1e-7);
}

// Denormals would be slow, and a product with 0.9 or 0.999 does not get below a few of them.
TEST(Adam, MomentsOfIdleParametersReachZero) {
  for (bool plain : {false, true}) {
    use_plain_kernels(plain);
    torch::Tensor parameter = torch::ones({2, 5});
    Adam adam({parameter});
    adam.step({torch::ones({2, 5})}, 0.01, 1.0);
    for (int step = 0; step < 700; ++step) adam.step({torch::zeros({2, 5})}, 0.01, 1.0);
    EXPECT_EQ(adam.first_moments()[0].abs().max().item<double>(), 0);
    EXPECT_GT(adam.second_moments()[0].min().item<double>(), 0);
    adam.second_moments()[0].fill_(1.0005e-30);
    const torch::Tensor before = parameter.clone();
    adam.step({torch::zeros({2, 5})}, 0.01, 1.0);
    EXPECT_EQ(adam.second_moments()[0].abs().max().item<double>(), 0);
    EXPECT_TRUE(torch::equal(parameter, before));
  }
  use_plain_kernels(false);
}

// What serves on other devices.
TEST(Adam, PlainEqualsFused) {
  Tensors fused = random_tensors(7, 0.5), plain = copy(fused);
  Adam fused_adam(fused, {fused[0], fused[2]}), plain_adam(plain, {plain[0], plain[2]});
  for (int step = 0; step < kSteps; ++step) {
    const Tensors gradients = idle_rows(step);
    const double norm = gradient_norm(gradients);
    fused_adam.step(gradients, rate_at(step), scale_at(step));
    use_plain_kernels(true);
    EXPECT_NEAR(gradient_norm(gradients), norm, 1e-9 * norm);
    plain_adam.step(gradients, rate_at(step), scale_at(step));
    use_plain_kernels(false);
  }
  for (size_t i = 0; i < fused.size(); ++i) {
    EXPECT_LE((fused[i] - plain[i]).abs().max().item<double>(), 1e-6) << i;
    EXPECT_TRUE(torch::allclose(fused_adam.first_moments()[i], plain_adam.first_moments()[i], 1e-5, 1e-9));
    EXPECT_TRUE(torch::allclose(fused_adam.second_moments()[i], plain_adam.second_moments()[i], 1e-5, 1e-12));
  }
}

TEST(GradientNorm, OverAllTensors) {
  EXPECT_DOUBLE_EQ(gradient_norm({torch::full({3}, 2.0F), torch::full({1}, -2.0F)}), 4.0);
  const Tensors tensors = random_tensors(5, 3);
  double squares = 0;
  for (const torch::Tensor& tensor : tensors) squares += tensor.to(torch::kFloat64).square().sum().item<double>();
  EXPECT_NEAR(gradient_norm(tensors), std::sqrt(squares), 1e-9 * std::sqrt(squares));
  // The square of a large float is no float.
  EXPECT_NEAR(gradient_norm({torch::full({4}, 1e30F)}) / 2e30, 1, 1e-6);
  for (double bad : {std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(std::isfinite(gradient_norm({torch::ones({5}), torch::full({1}, bad, torch::kFloat32)})));
  }
}

}  // namespace
}  // namespace otseq2set
