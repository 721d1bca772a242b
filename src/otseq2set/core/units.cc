#include "otseq2set/core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace otseq2set::inline core {

std::string format_duration(double seconds) {
  const auto whole = std::llround(std::max(0.0, seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string format_bytes(uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return value < 1e9 ? fmt::format("{:.0f} MB", value / 1e6) : fmt::format("{:.1f} GB", value / 1e9);
}

}  // namespace otseq2set::inline core
