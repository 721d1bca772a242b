#include "otseq2set/checking/check_summary.h"

#include <algorithm>
#include <cmath>

namespace otseq2set::inline checking {

namespace {

constexpr double kNearlyEqual = 0.05;  // shares that far from one half say little

double ratio(double a, double b) { return b > 0 ? a / b : 0; }
double as_double(uint64_t value) { return static_cast<double>(value); }

}  // namespace

double PartSummary::mean_labels() const { return ratio(as_double(labels), as_double(documents)); }

double PartSummary::mean_words() const { return ratio(as_double(words), as_double(documents)); }

uint64_t PartSummary::largest_label_set() const {
  return label_set_sizes.empty() ? 0 : label_set_sizes.rbegin()->first;
}

bool CheckReport::refused() const {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.refused; });
}

double CheckReport::samples_per_label() const { return ratio(as_double(train.labels), as_double(distinct_labels)); }

std::string CheckReport::scheme() const {
  return share_at_or_below_mean(train.label_set_sizes) > 0.5 ? "first_n" : "all";
}

bool CheckReport::scheme_matters_little() const {
  return std::abs(share_at_or_below_mean(train.label_set_sizes) - 0.5) < kNearlyEqual;
}

}  // namespace otseq2set::inline checking
