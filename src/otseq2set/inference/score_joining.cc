#include "otseq2set/inference/score_joining.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace otseq2set::inline inference {

namespace {

constexpr int kParameters = 3;
constexpr int kMostSteps = 50;
constexpr double kRidge = 1e-6;  // on the curvature, so that a part that never varies has weight 0

using Vector = std::array<double, kParameters>;

float logit(float score) {
  constexpr double kLeast = 1e-7;
  const double p = std::clamp<double>(score, kLeast, 1 - kLeast);
  return static_cast<float>(std::log(p) - std::log1p(-p));
}

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

// Solves a x = b for a symmetric positive definite matrix.
Vector solve(std::array<Vector, kParameters> a, Vector b) {
  for (int i = 0; i < kParameters; ++i) {
    for (int j = i + 1; j < kParameters; ++j) {
      const double factor = a[j][i] / a[i][i];
      for (int k = i; k < kParameters; ++k) a[j][k] -= factor * a[i][k];
      b[j] -= factor * b[i];
    }
  }
  for (int i = kParameters - 1; i >= 0; --i) {
    for (int k = i + 1; k < kParameters; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

}  // namespace

float joined_score(const ScoreJoining& joining, std::optional<float> network_score, std::optional<float> margin) {
  double sum = joining.bias;
  if (network_score) sum += joining.network * logit(*network_score);
  if (margin) sum += joining.linear * *margin;
  return static_cast<float>(sigmoid(sum));
}

std::string describe(const ScoreJoining& joining) {
  return fmt::format("{:.3g} * logit of the network {:+.3g} * margin of the linear model {:+.3g}", joining.network,
                     joining.linear, joining.bias);
}

void JoiningFit::add(std::optional<float> network_score, std::optional<float> margin, bool is_true) {
  examples_.push_back({network_score ? logit(*network_score) : 0, margin.value_or(0), is_true});
}

ScoreJoining JoiningFit::best() const {
  Vector weights = {};
  for (int step = 0; step < kMostSteps; ++step) {
    Vector gradient = {};
    std::array<Vector, kParameters> curvature = {};
    for (const Example& example : examples_) {
      const Vector x = {example.network, example.linear, 1};
      const double p = sigmoid(weights[0] * x[0] + weights[1] * x[1] + weights[2]);
      for (int i = 0; i < kParameters; ++i) {
        gradient[i] += (p - (example.is_true ? 1 : 0)) * x[i];
        for (int j = 0; j < kParameters; ++j) curvature[i][j] += p * (1 - p) * x[i] * x[j];
      }
    }
    for (int i = 0; i < kParameters; ++i) curvature[i][i] += kRidge, gradient[i] += kRidge * weights[i];
    const Vector change = solve(curvature, gradient);
    double largest = 0;
    for (int i = 0; i < kParameters; ++i) {
      weights[i] -= change[i];
      largest = std::max(largest, std::fabs(change[i]));
    }
    if (largest < 1e-9) break;
  }
  return {weights[0], weights[1], weights[2]};
}

}  // namespace otseq2set::inline inference
