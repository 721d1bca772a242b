// One cosine cycle (paper, "Experiment Settings"). When a share t of the training is over, it runs at
//
//   rate * (1 + cos(pi t)) / 2
//
// In the paper t is that of whole epochs. By steps, the rate falls evenly to 0, which is better where epochs are few
// (docs/accuracy.md). While a share w of the training has not passed, the rate is also multiplied by t / w.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "otseq2set/config/config.h"

namespace otseq2set::inline training {

// Epochs, and batches in one epoch, are counted from 0.
inline double learning_rate(const TrainingConfig& config, int64_t epoch, int64_t batch, int64_t batches) {
  constexpr double kPi = 3.14159265358979323846;
  const auto epochs = static_cast<double>(config.epochs), within = static_cast<double>(batches);
  const auto past = static_cast<double>(epoch);
  const double by_steps = past + static_cast<double>(batch) / within;
  const double rate =
      config.learning_rate * (1 + std::cos(kPi * (config.schedule == "steps" ? by_steps : past) / epochs)) / 2;
  const double warmup = config.warmup * epochs;
  return warmup > 0 ? rate * std::min(1.0, (by_steps + 1 / within) / warmup) : rate;
}

}  // namespace otseq2set::inline training
