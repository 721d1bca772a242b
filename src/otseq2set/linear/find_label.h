#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace otseq2set::inline linear {

// In a list that ascends by label; null if it is not there.
template <typename Of>
const Of* find_label(const std::vector<Of>& list, size_t label) {
  const auto found = std::lower_bound(list.begin(), list.end(), static_cast<int32_t>(label),
                                      [](const Of& one, int32_t wanted) { return one.label < wanted; });
  return found != list.end() && found->label == static_cast<int32_t>(label) ? &*found : nullptr;
}

}  // namespace otseq2set::inline linear
