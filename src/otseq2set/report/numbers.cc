#include "otseq2set/report/numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace otseq2set::inline report {

std::string decimal(double value, int decimals) {
  if (!std::isfinite(value)) return "–";
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return value < 0 && !zero ? "−" + text : text;
}

std::string percent(double fraction, int decimals) { return decimal(fraction * 100, decimals); }

std::string signed_points(double fraction, int decimals) {
  const std::string text = percent(fraction, decimals);
  if (text.find_first_of("123456789") == std::string::npos) return "±" + text;
  return fraction > 0 ? "+" + text : text;
}

std::string signed_percent(double fraction, int decimals) {
  return std::isfinite(fraction) ? signed_points(fraction, decimals) + " %" : "–";
}

std::string count_text(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, 1, ',');
  return text;
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto minutes = static_cast<int64_t>(std::llround(seconds / 60));
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {:02d} min", minutes / 60, minutes % 60);
}

std::string bytes_text(uint64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (value >= 1e9) return fmt::format("{:.2f} GB", value / 1e9);
  return fmt::format("{:.0f} MB", value / 1e6);
}

std::string millions(double count) {
  if (!std::isfinite(count)) return "–";
  if (count < 1e6) return count_text(static_cast<uint64_t>(std::llround(count)));
  return fmt::format("{:.2f} M", count / 1e6);
}

}  // namespace otseq2set::inline report
