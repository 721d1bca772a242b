// How far float32 may be from the truth.
//
// No fixed tolerance holds everywhere. Rounding depends on the instruction set, it grows with the sizes, and
// a network amplifies it: SGM's temperature of 0.1 makes ten times as much of it. So it is measured. Plain
// ATen computes the same in float32 on the machine at hand, and the code under test may be off by
// kTimesPlain of what ATen is off.
//
// One run of ATen can be off by little through mere luck, a single number such as a loss more easily than a
// tensor. Hence it runs kPlainRuns times, all but the first with inputs that are disturbed by up to half a
// unit in the last place, no more than rounding them to float32 does. The worst run counts.
//
// Floors serve where ATen happens to be more exact than one may ask for:
// - kRoundings units in the last place of a tensor's largest value, for the last few operations, which every
//   implementation orders in its own way;
// - for a gradient, which is a sum over all words and steps, the square root of the number of its terms in
//   such units: that much rounding adds up to when the terms are added one after the other. ATen adds them
//   in a tree;
// - one unit in the last place of the largest gradient of all. A gradient that is zero in mathematics, as
//   that of the bias which attention's softmax cancels, is the rest of a sum of terms that are not; what is
//   left of them is rounding, and the largest gradient tells their size.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace otseq2set::testing {

using NamedTensors = std::map<std::string, torch::Tensor>;
using NamedNumbers = std::map<std::string, double>;

// What a computation gives. Whole numbers (chosen labels, assigned targets) have no rounding: they are right
// or wrong.
struct Computed {
  NamedTensors values, gradients;
};

// The largest absolute difference that is allowed, of every tensor.
struct Bounds {
  NamedNumbers values, gradients;
};

constexpr int kPlainRuns = 8;
constexpr double kTimesPlain = 8, kRoundings = 8;

double largest_absolute(const torch::Tensor& tensor);  // 0 of none
double largest_absolute(const NamedTensors& tensors);

// `tensor`, in float64, with every value off by up to half a unit in the last place of float32; as it is
// when run is 0.
torch::Tensor disturbed(const torch::Tensor& tensor, int run);

// Bounds of float32. longest_sum: terms of the longest sum in a gradient. plain(run): the outcome of plain
// ATen in float32 from inputs disturbed(..., run); the plain kernels are chosen already. Fails the test when
// the bounds are so wide that they say nothing.
Bounds rounding_bounds(const Computed& expected, int64_t longest_sum, const std::function<Computed(int run)>& plain);

// Every tensor of `actual` against that of the same name; `expected` may have more values, but not more
// gradients.
void expect_within(const Computed& actual, const Computed& expected, const Bounds& bounds);

}  // namespace otseq2set::testing
