#include "otseq2set/core/nearest_name.h"

#include <algorithm>
#include <numeric>

namespace otseq2set::inline core {

namespace {

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

const std::string& nearest_name(const std::string& given, const std::vector<std::string>& names) {
  const std::string start = given.substr(0, 100);  // it may come from anywhere
  return *std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(start, a) < edit_distance(start, b);
  });
}

}  // namespace otseq2set::inline core
