#include "otseq2set/training/schedule.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

TEST(Schedule, OneCosineCycle) {
  EXPECT_DOUBLE_EQ(learning_rate(0.001, 0, 20), 0.001);
  EXPECT_DOUBLE_EQ(learning_rate(0.001, 10, 20), 0.0005);
  EXPECT_NEAR(learning_rate(0.001, 19, 20), 0.001 * 0.0061558297, 1e-12);  // (1 + cos(19 pi / 20)) / 2
  EXPECT_NEAR(learning_rate(2.0, 1, 3), 1.5, 1e-15);
  EXPECT_NEAR(learning_rate(2.0, 2, 3), 0.5, 1e-15);
  EXPECT_DOUBLE_EQ(learning_rate(0.5, 0, 1), 0.5);
  for (int epoch = 1; epoch < 50; ++epoch) EXPECT_LT(learning_rate(1, epoch, 50), learning_rate(1, epoch - 1, 50));
  EXPECT_GT(learning_rate(1, 49, 50), 0);
}

}  // namespace
}  // namespace otseq2set
