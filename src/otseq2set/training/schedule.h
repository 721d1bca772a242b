// One cosine cycle (paper, "Experiment Settings"). Epoch e (from 0) of E runs at
//
//   rate * (1 + cos(pi e / E)) / 2
#pragma once

#include <cmath>
#include <cstdint>

namespace otseq2set::inline training {

inline double learning_rate(double start, int64_t epoch, int64_t epochs) {
  constexpr double kPi = 3.14159265358979323846;
  return start * (1 + std::cos(kPi * static_cast<double>(epoch) / static_cast<double>(epochs))) / 2;
}

}  // namespace otseq2set::inline training
