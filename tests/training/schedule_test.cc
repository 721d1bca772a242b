#include "otseq2set/training/schedule.h"

#include <gtest/gtest.h>

#include "otseq2set/core/units.h"

namespace otseq2set {
namespace {

TEST(Schedule, OneCosineCycle) {
  EXPECT_DOUBLE_EQ(learning_rate(0.001, 0, 20), 0.001);
  EXPECT_DOUBLE_EQ(learning_rate(0.001, 10, 20), 0.0005);
  EXPECT_NEAR(learning_rate(0.001, 19, 20), 0.001 * 0.0061558297, 1e-12);  // (1 + cos(19 pi / 20)) / 2
  EXPECT_NEAR(learning_rate(2.0, 1, 3), 1.5, 1e-15);
  EXPECT_NEAR(learning_rate(2.0, 2, 3), 0.5, 1e-15);
  EXPECT_DOUBLE_EQ(learning_rate(0.5, 0, 1), 0.5);
  for (int epoch = 1; epoch < 50; ++epoch)
    EXPECT_LT(learning_rate(1, epoch, 50), learning_rate(1, epoch - 1, 50));
  EXPECT_GT(learning_rate(1, 49, 50), 0);
}

TEST(Progress, Durations) {
  EXPECT_EQ(format_duration(0), "0:00");
  EXPECT_EQ(format_duration(-3), "0:00");
  EXPECT_EQ(format_duration(75), "1:15");
  EXPECT_EQ(format_duration(59.6), "1:00");
  EXPECT_EQ(format_duration(3599), "59:59");
  EXPECT_EQ(format_duration(4000), "1:06:40");
}

TEST(Progress, Bytes) {
  EXPECT_EQ(format_bytes(1536000000), "1.5 GB");
  EXPECT_EQ(format_bytes(250000000), "250 MB");
  EXPECT_EQ(format_bytes(0), "0 MB");
}

}  // namespace
}  // namespace otseq2set
