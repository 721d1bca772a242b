// What a person wants to know while a model is trained, and how long it took.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "otseq2set/training.h"

namespace otseq2set::inline training {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <typename... Args>
void tell(const TrainingOptions& options, fmt::format_string<Args...> format, Args&&... args) {
  if (options.log) options.log(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace otseq2set::inline training
