// Numbers as the report writes them.
#pragma once

#include <cstdint>
#include <string>

namespace otseq2set::inline report {

constexpr int kPercentDecimals = 2;

std::string percent(double fraction, int decimals = kPercentDecimals);  // 0.62459 -> "62.46"
std::string signed_points(double fraction, int decimals);               // "+7.3", "−0.8", "±0.0"
std::string signed_percent(double fraction, int decimals);              // "+7.3 %"
std::string decimal(double value, int decimals);                        // "3.52"; "–" if it is not finite
std::string count_text(uint64_t count);                                 // 45000 -> "45,000"
std::string duration(double seconds);                                   // "8.3 s", "12 min", "3 h 05 min"
std::string bytes_text(uint64_t bytes);                                 // "1.25 GB"
std::string millions(double count);                                     // "3.21 M", "38,114"

}  // namespace otseq2set::inline report
