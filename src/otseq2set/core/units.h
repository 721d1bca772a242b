// Durations and sizes as a person reads them.
#pragma once

#include <cstdint>
#include <string>

namespace otseq2set::inline core {

// 75 s -> "1:15", 4000 s -> "1:06:40"
std::string format_duration(double seconds);
// 1536000000 -> "1.5 GB"
std::string format_bytes(uint64_t bytes);

}  // namespace otseq2set::inline core
