// Means over seeds, how far the seeds lie apart, and which value is the best.
#pragma once

#include <cstddef>
#include <vector>

namespace otseq2set::inline report {

// Of the numbers given, without those that are not finite.
struct Summary {
  size_t count = 0;
  double mean = 0;    // 0 if there is none
  double spread = 0;  // the sample's standard deviation, sqrt(sum (x - mean)^2 / (count - 1)); 0 below two
};
Summary summarise(const std::vector<double>& values);

// How the difference of two means stands to what the seeds alone do. Means ± spread that overlap, which a reader sees
// in the tables, are no reason to call one of them better.
enum class Difference {
  kUnknown,       // fewer than two values of either
  kWithinSpread,  // |a - b| <= spread of a + spread of b
  kBeyondSpread,
};
Difference difference_of(const Summary& a, const Summary& b);

// (to - from) / from. NaN if from is 0, which tables show as a dash: 0 would say that nothing changed.
double relative_change(double from, double to);

// [values] true for the largest mean, and for those that look the same with this many decimals; never for
// one without values, and for none if fewer than two have any: what stands alone is not the best.
std::vector<bool> best_of(const std::vector<Summary>& values, int decimals);

// The expected calibration error, sum_b n_b |score_b - true_b| / sum_b n_b, is a mean of such terms.
struct WeightedMean {
  double sum = 0, weight = 0;

  void add(double value, double times) {
    sum += value * times;
    weight += times;
  }
  double mean() const { return weight > 0 ? sum / weight : 0; }
};

}  // namespace otseq2set::inline report
