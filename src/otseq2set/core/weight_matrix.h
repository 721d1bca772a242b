// A matrix of weights where it is stored: numbers, or bytes with a scale for each row, value = scale * byte.
#pragma once

#include <algorithm>
#include <cstdint>

namespace otseq2set::inline core {

template <typename T>
struct WeightMatrix {
  WeightMatrix() = default;
  WeightMatrix(const T* values) : values(values) {}
  WeightMatrix(const int8_t* bytes, const float* scales) : bytes(bytes), scales(scales) {}

  const T* values = nullptr;      // [rows, width], or null:
  const int8_t* bytes = nullptr;  // [rows, width]
  const float* scales = nullptr;  // [rows]

  bool quantised() const { return bytes != nullptr; }

  void copy_row(int64_t row, int64_t width, T* to) const {
    if (!quantised()) {
      std::copy_n(values + row * width, width, to);
      return;
    }
    const int8_t* from = bytes + row * width;
    for (int64_t k = 0; k < width; ++k) to[k] = static_cast<T>(scales[row]) * static_cast<T>(from[k]);
  }
};

}  // namespace otseq2set::inline core
