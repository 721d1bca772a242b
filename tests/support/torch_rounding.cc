#include "support/torch_rounding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "otseq2set/autograd/choice.h"
#include "support/torch_golden.h"

namespace otseq2set::testing {

namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
// Of a tensor's largest value, or of this share of the largest gradient. A wrong formula is off by more.
constexpr double kWidest = 0.02, kShareOfLargest = 1e-3;

struct PlainKernels {
  PlainKernels() { use_plain_kernels(true); }
  ~PlainKernels() { use_plain_kernels(false); }
};

bool is_whole(const torch::Tensor& tensor) { return tensor.scalar_type() == torch::kInt64; }

double largest_difference_of(const torch::Tensor& actual, const torch::Tensor& expected) {
  if (actual.sizes() != expected.sizes()) return std::numeric_limits<double>::infinity();
  const double difference =
      largest_absolute(dense(actual.detach()).to(torch::kFloat64) - dense(expected.detach()).to(torch::kFloat64));
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

// A run that chose another label or assigned another target computed something else.
bool same_choices(const Computed& actual, const Computed& expected) {
  return std::all_of(actual.values.begin(), actual.values.end(), [&](const auto& item) {
    return !is_whole(item.second) || torch::equal(item.second, expected.values.at(item.first));
  });
}

void widen(NamedNumbers& bounds, const NamedTensors& actual, const NamedTensors& expected) {
  for (const auto& [name, tensor] : actual) {
    const double error = largest_difference_of(tensor, expected.at(name));
    bounds[name] = std::max(bounds[name], is_whole(tensor) ? 0 : kTimesPlain * error);
  }
}

// roundings: of a tensor's largest value; cancelled: of what may have cancelled, one rounding.
NamedNumbers floors(const NamedTensors& expected, double roundings, double cancelled) {
  NamedNumbers bounds;
  for (const auto& [name, tensor] : expected) {
    const double floor = kEpsilon * std::max(roundings * largest_absolute(tensor), cancelled);
    bounds[name] = is_whole(tensor) ? 0 : floor;
  }
  return bounds;
}

void expect_meaningful(const NamedNumbers& bounds, const NamedTensors& expected, double least_scale) {
  for (const auto& [name, bound] : bounds) {
    const double scale = std::max(largest_absolute(expected.at(name)), least_scale);
    EXPECT_LE(bound, kWidest * scale) << name << ": plain ATen itself is far off";
  }
}

void expect_within(const NamedTensors& actual, const NamedTensors& expected, const NamedNumbers& bounds) {
  for (const auto& [name, tensor] : actual) {
    EXPECT_LE(largest_difference_of(tensor, expected.at(name)), bounds.at(name))
        << name << ", whose largest value is " << largest_absolute(expected.at(name));
  }
}

}  // namespace

double largest_absolute(const torch::Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : dense(tensor.detach()).abs().max().item<double>();
}

double largest_absolute(const NamedTensors& tensors) {
  double largest = 0;
  for (const auto& [name, tensor] : tensors) largest = std::max(largest, largest_absolute(tensor));
  return largest;
}

torch::Tensor disturbed(const torch::Tensor& tensor, int run) {
  const torch::Tensor exact = tensor.detach().to(torch::kFloat64);
  if (run == 0) return exact;
  return exact * (1 + kEpsilon * (torch::rand_like(exact) - 0.5));
}

Bounds rounding_bounds(const Computed& expected, int64_t longest_sum, const std::function<Computed(int run)>& plain) {
  const double largest_gradient = largest_absolute(expected.gradients);
  const double of_sums = std::max(kRoundings, std::sqrt(static_cast<double>(longest_sum)));
  Bounds bounds{floors(expected.values, kRoundings, 0), floors(expected.gradients, of_sums, largest_gradient)};
  const PlainKernels only_plain;
  for (int run = 0; run < kPlainRuns; ++run) {
    torch::manual_seed(run);
    const Computed outcome = plain(run);
    if (!same_choices(outcome, expected)) continue;
    widen(bounds.values, outcome.values, expected.values);
    widen(bounds.gradients, outcome.gradients, expected.gradients);
  }
  expect_meaningful(bounds.values, expected.values, 0);
  expect_meaningful(bounds.gradients, expected.gradients, kShareOfLargest * largest_gradient);
  return bounds;
}

void expect_within(const Computed& actual, const Computed& expected, const Bounds& bounds) {
  expect_within(actual.values, expected.values, bounds.values);
  EXPECT_EQ(actual.gradients.size(), expected.gradients.size());
  expect_within(actual.gradients, expected.gradients, bounds.gradients);
}

}  // namespace otseq2set::testing
