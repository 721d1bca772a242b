#include "otseq2set/training/schedule.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

TrainingConfig config(double rate, int64_t epochs, const std::string& schedule = "epochs", double warmup = 0) {
  TrainingConfig config;
  config.learning_rate = rate;
  config.epochs = epochs;
  config.schedule = schedule;
  config.warmup = warmup;
  return config;
}

TEST(Schedule, OneCosineCycleOverTheEpochs) {
  const auto at = [](double rate, int64_t epoch, int64_t epochs) {
    const double first = learning_rate(config(rate, epochs), epoch, 0, 10);
    EXPECT_EQ(learning_rate(config(rate, epochs), epoch, 9, 10), first) << "changes within an epoch";
    return first;
  };
  EXPECT_DOUBLE_EQ(at(0.001, 0, 20), 0.001);
  EXPECT_DOUBLE_EQ(at(0.001, 10, 20), 0.0005);
  EXPECT_NEAR(at(0.001, 19, 20), 0.001 * 0.0061558297, 1e-12);  // (1 + cos(19 pi / 20)) / 2
  EXPECT_NEAR(at(2.0, 1, 3), 1.5, 1e-15);
  EXPECT_NEAR(at(2.0, 2, 3), 0.5, 1e-15);
  EXPECT_DOUBLE_EQ(at(0.5, 0, 1), 0.5);
  for (int epoch = 1; epoch < 50; ++epoch) EXPECT_LT(at(1, epoch, 50), at(1, epoch - 1, 50));
  EXPECT_GT(at(1, 49, 50), 0);
}

TEST(Schedule, ByStepsItFallsWithinAnEpochToo) {
  const TrainingConfig steps = config(1, 3, "steps");
  EXPECT_DOUBLE_EQ(learning_rate(steps, 0, 0, 4), 1);
  EXPECT_DOUBLE_EQ(learning_rate(steps, 1, 2, 4), 0.5);  // half of all
  double before = 2;
  for (int step = 0; step < 12; ++step) {
    const double rate = learning_rate(steps, step / 4, step % 4, 4);
    EXPECT_LT(rate, before) << step;
    EXPECT_GT(rate, 0) << step;
    before = rate;
  }
}

TEST(Schedule, WarmUpRisesEvenlyFromTheFirstStep) {
  const TrainingConfig warm = config(1, 4, "epochs", 0.125);  // half of the first epoch
  EXPECT_DOUBLE_EQ(learning_rate(warm, 0, 0, 8), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate(warm, 0, 1, 8), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(warm, 0, 3, 8), 1);
  EXPECT_DOUBLE_EQ(learning_rate(warm, 0, 7, 8), 1);
  EXPECT_DOUBLE_EQ(learning_rate(warm, 2, 0, 8), 0.5);
}

}  // namespace
}  // namespace otseq2set
