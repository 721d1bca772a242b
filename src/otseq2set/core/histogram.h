// How often each value occurs: value -> times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace otseq2set::inline core {

using Histogram = std::map<uint64_t, uint64_t>;

// How many values there are, each as often as it occurs.
inline uint64_t total(const Histogram& histogram) {
  uint64_t sum = 0;
  for (const auto& [value, times] : histogram) sum += times;
  return sum;
}

// The mean of min(value, at_most); 0 without any.
inline double mean(const Histogram& histogram, uint64_t at_most = UINT64_MAX) {
  double sum = 0;
  for (const auto& [value, times] : histogram) {
    sum += static_cast<double>(std::min(value, at_most)) * static_cast<double>(times);
  }
  return sum / std::max(1.0, static_cast<double>(total(histogram)));
}

// The least value that this share of all does not exceed; 0 without any.
inline uint64_t quantile(const Histogram& histogram, double share) {
  const double wanted = share * static_cast<double>(total(histogram));
  double seen = 0;
  for (const auto& [value, times] : histogram) {
    seen += static_cast<double>(times);
    if (seen >= wanted) return value;
  }
  return 0;
}

// The share of all that is at most the mean; 0 without any.
inline double share_at_or_below_mean(const Histogram& histogram) {
  const double middle = mean(histogram);
  uint64_t below = 0;
  for (const auto& [value, times] : histogram) below += static_cast<double>(value) <= middle ? times : 0;
  return static_cast<double>(below) / std::max(1.0, static_cast<double>(total(histogram)));
}

}  // namespace otseq2set::inline core
