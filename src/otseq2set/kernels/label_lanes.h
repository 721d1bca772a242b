// The two products of a linear model that is trained for several labels at once: their weights stand side by side, so
// that a feature of a document is looked up once for all of them.
#pragma once

#include <cstdint>

namespace otseq2set::inline kernels {

constexpr int64_t kLabelLanes = 16;  // labels side by side: one line of a cache

// A document: features with their values.
struct SparseRow {
  const int32_t* features;
  const float* values;
  int64_t size;
};

// products[lane] = sum over the features f of x_f weights[f][lane]; weights: [features][kLabelLanes], aligned to 64 bytes.
void lane_products(const SparseRow& row, const float* weights, float* products);

// weights[f][lane] += x_f factors[lane] for all features f of the row.
void lane_add(const SparseRow& row, const float* factors, float* weights);

}  // namespace otseq2set::inline kernels
