// What the products of bytes are made of; int8_product-inl.h has the layout, which depends on the instruction set.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "otseq2set/core/span.h"

namespace otseq2set::inline kernels {

// Inputs that a product may have: their sums fit into 32 bits.
constexpr int64_t kMostInt8Inputs = 65536;

// Weights, packed once.
struct Int8Panels {
  // Zeros.
  Int8Panels(int64_t panels, int64_t panel_bytes, int64_t panel_columns)
      : panels(panels),
        bytes(zeros<int8_t>(panels * panel_bytes)),
        scales(zeros<float>(panels * panel_columns)),
        sums(zeros<int32_t>(panels * panel_columns)) {}

  template <typename T>
  using Array = hwy::AlignedFreeUniquePtr<T[]>;

  template <typename T>
  static Array<T> zeros(int64_t size) {
    Array<T> array = hwy::AllocateAligned<T>(size);
    if (array == nullptr) throw std::bad_alloc();
    std::fill_n(array.get(), size, T{0});
    return array;
  }

  int64_t panels;
  Array<int8_t> bytes;
  Array<float> scales;  // of each column
  Array<int32_t> sums;  // of each column, times the offset of the rows
};

// Rows that a product takes: values rounded to steps, value = scale * step.
struct Int8Rows {
  int64_t count = 0;
  int64_t row_bytes = 0;
  Int8Panels::Array<uint8_t> steps;
  std::vector<float> scales;
};

// Of float32 rows; a stride is the distance from row to row. In the calling thread.
Int8Rows quantised_rows(int64_t rows, int64_t width, const float* in, int64_t stride);

// Of a table of bytes [.., width] with a scale a row: the rows with these numbers.
Int8Rows table_rows(const int8_t* table, const float* scales, int64_t width, Span<const int32_t> numbers);

// For storing: bytes [rows, width] and scales [rows] such that value ~ scale * byte. The step is the row's largest size
// / 127; ties go to even.
void quantise_matrix(int64_t rows, int64_t width, const float* values, int8_t* bytes, float* scales);

}  // namespace otseq2set::inline kernels
