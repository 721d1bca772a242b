#include "otseq2set/model/dropout.h"

#include <gtest/gtest.h>

#include <cmath>

namespace otseq2set {
namespace {

torch::Tensor ones(torch::IntArrayRef shape) { return torch::ones(shape); }

TEST(Dropout, NoneIsTheIdentity) {
  const torch::Tensor x = torch::rand({3, 4});
  EXPECT_TRUE(torch::equal(Dropout()(x, "site"), x));
  EXPECT_TRUE(torch::equal(Dropout(0, 1, 2, 3)(x, "site"), x));
}

TEST(Dropout, KeepsTheRateAndScalesWhatIsKept) {
  for (double rate : {0.1, 0.2, 0.5, 0.95}) {
    const int64_t count = 400'000;
    const torch::Tensor y = Dropout(rate, 1, 0, 0)(ones({8, count / 8}), "site");
    const auto kept = static_cast<float>(1 / (1 - rate));
    EXPECT_TRUE(((y == 0) | (y == kept)).all().item<bool>()) << rate;
    const double share = (y == 0).to(torch::kFloat64).mean().item<double>();
    EXPECT_NEAR(share, rate, 5 * std::sqrt(rate * (1 - rate) / count)) << rate;
    EXPECT_NEAR(y.mean(torch::kFloat64).item<double>(), 1, 5 * std::sqrt(rate / (1 - rate) / count)) << rate;
  }
}

// Every value of a mask is dropped now and then: none is stuck, whatever the width modulo four.
TEST(Dropout, TreatsEveryPlaceAlike) {
  for (int64_t width : {1, 2, 3, 4, 5, 7}) {
    torch::Tensor kept = torch::zeros({width});
    for (uint64_t step = 0; step < 2000; ++step) kept += (Dropout(0.5, 1, step, 0)(ones({1, width}), "site")[0] != 0);
    EXPECT_GT(kept.min().item<double>(), 880) << width;
    EXPECT_LT(kept.max().item<double>(), 1120) << width;
  }
}

TEST(Dropout, PaddingDoesNotChangeTheWordsBefore) {
  const Dropout dropout(0.4, 1, 5, 2);
  for (int64_t width : {3, 4}) {
    const torch::Tensor longer = dropout(ones({6, 11, width}), "words");
    for (int64_t words : {1, 2, 5, 10}) {
      EXPECT_TRUE(torch::equal(dropout(ones({6, words, width}), "words"), longer.slice(1, 0, words))) << words;
    }
  }
}

TEST(Dropout, CuttingABatchDoesNotChangeItsRows) {
  const torch::Tensor whole = Dropout(0.4, 1, 5, 0)(ones({12, 9, 3}), "words", 2);
  for (int64_t begin : {0, 1, 8}) {
    const torch::Tensor part = Dropout(0.4, 1, 5, begin)(ones({4, 9, 3}), "words", 2);
    EXPECT_TRUE(torch::equal(part, whole.slice(0, begin, begin + 4))) << begin;
  }
}

TEST(Dropout, SeedStepRowSiteAndIndexAllMatter) {
  const torch::Tensor x = ones({1, 200});
  const torch::Tensor base = Dropout(0.5, 1, 2, 3)(x, "site", 4);
  EXPECT_TRUE(torch::equal(Dropout(0.5, 1, 2, 3)(x, "site", 4), base));
  EXPECT_FALSE(torch::equal(Dropout(0.5, 9, 2, 3)(x, "site", 4), base));
  EXPECT_FALSE(torch::equal(Dropout(0.5, 1, 9, 3)(x, "site", 4), base));
  EXPECT_FALSE(torch::equal(Dropout(0.5, 1, 2, 9)(x, "site", 4), base));
  EXPECT_FALSE(torch::equal(Dropout(0.5, 1, 2, 3)(x, "other", 4), base));
  EXPECT_FALSE(torch::equal(Dropout(0.5, 1, 2, 3)(x, "site", 9), base));
  EXPECT_FALSE(torch::equal(Dropout(0.5, 1, 3, 2)(x, "site", 4), base)) << "step and row are interchangeable";
}

TEST(Dropout, GradientIsTheMask) {
  torch::Tensor x = torch::rand({3, 10}, torch::kFloat64).requires_grad_();
  const torch::Tensor y = Dropout(0.3, 1, 2, 0)(x, "site");
  EXPECT_EQ(y.dtype(), torch::kFloat64);
  y.sum().backward();
  EXPECT_TRUE(torch::allclose(x.grad() * x, y));
}

TEST(Dropout, NoRows) { EXPECT_EQ(Dropout(0.3, 1, 2, 0)(torch::zeros({0, 5}), "site").numel(), 0); }

}  // namespace
}  // namespace otseq2set
