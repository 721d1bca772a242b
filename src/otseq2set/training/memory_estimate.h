// How much memory will training or prediction take? Said before the first step rather than after hours.
#pragma once

#include <cstdint>

#include "otseq2set/config/config.h"

namespace otseq2set {

struct MemoryEstimate {
  uint64_t training = 0;    // bytes at the peak
  uint64_t prediction = 0;  // bytes at the peak
};

// For documents of model.max_words words; model.steps must be known. word_ids and label_ids count the special
// ids.
MemoryEstimate estimate_memory(const Config& config, int64_t word_ids, int64_t label_ids, int threads);

}  // namespace otseq2set
