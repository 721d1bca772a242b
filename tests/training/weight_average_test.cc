#include "otseq2set/training/weight_average.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

using torch::Tensor;

TEST(WeightAverage, IsTheSumOfThePastWithFallingWeights) {
  const Tensor parameter = torch::tensor({1.0F, -2.0F});
  WeightAverage average({parameter}, 0.5);
  double expected = 1;
  for (int64_t step = 1; step <= 20; ++step) {
    parameter.fill_(static_cast<float>(step));
    average.step(step);
    const double past = static_cast<double>(step), decay = std::min(0.5, (1 + past) / (10 + past));
    expected = decay * expected + (1 - decay) * past;
    EXPECT_NEAR(average.values()[0][0].item<float>(), expected, 1e-5 * past) << step;
  }
}

// Larger than what one thread takes at a time.
TEST(WeightAverage, EveryValueOfALargeTensorIsAveraged) {
  const Tensor start = torch::arange(600'001, torch::kFloat32);
  const Tensor parameter = start.clone();
  WeightAverage average({parameter}, 0.9);
  parameter.add_(1);
  average.step(1'000'000);
  EXPECT_TRUE(torch::allclose(average.values()[0], start + 0.1, 1e-6, 1e-6));
}

TEST(WeightAverage, SwappedTwiceAllIsAsItWas) {
  const Tensor parameter = torch::tensor({1.0F});
  WeightAverage average({parameter}, 0.9);
  parameter.fill_(5);
  average.swap();
  EXPECT_EQ(parameter.item<float>(), 1);
  EXPECT_EQ(average.values()[0].item<float>(), 5);
  average.swap();
  EXPECT_EQ(parameter.item<float>(), 5);
  EXPECT_EQ(average.values()[0].item<float>(), 1);
}

}  // namespace
}  // namespace otseq2set
