#include "otseq2set/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace otseq2set::inline report {

Summary summarise(const std::vector<double>& values) {
  Summary summary;
  double sum = 0;
  for (double value : values) {
    if (!std::isfinite(value)) continue;
    ++summary.count;
    sum += value;
  }
  if (summary.count == 0) return summary;
  summary.mean = sum / static_cast<double>(summary.count);
  if (summary.count == 1) return summary;
  double squares = 0;
  for (double value : values) {
    if (std::isfinite(value)) squares += (value - summary.mean) * (value - summary.mean);
  }
  summary.spread = std::sqrt(squares / static_cast<double>(summary.count - 1));
  return summary;
}

Difference difference_of(const Summary& a, const Summary& b) {
  if (a.count < 2 || b.count < 2) return Difference::kUnknown;
  return std::abs(a.mean - b.mean) <= a.spread + b.spread ? Difference::kWithinSpread : Difference::kBeyondSpread;
}

double relative_change(double from, double to) {
  return from == 0 ? std::numeric_limits<double>::quiet_NaN() : (to - from) / from;
}

std::vector<bool> best_of(const std::vector<Summary>& values, int decimals) {
  const double scale = std::pow(10, decimals);
  const auto shown = [scale](const Summary& value) { return std::round(value.mean * scale); };
  std::vector<bool> best(values.size(), false);
  size_t present = 0;
  double largest = 0;
  for (const Summary& value : values) {
    if (value.count == 0) continue;
    largest = present == 0 ? shown(value) : std::max(largest, shown(value));
    ++present;
  }
  if (present < 2) return best;
  for (size_t i = 0; i < values.size(); ++i) best[i] = values[i].count > 0 && shown(values[i]) == largest;
  return best;
}

}  // namespace otseq2set::inline report
