// How much memory will training or prediction take? Said before the first step rather than after hours.
#pragma once

#include <cstdint>
#include <optional>

#include "otseq2set/config/config.h"
#include "otseq2set/data/dataset.h"

namespace otseq2set {

struct MemoryEstimate {
  uint64_t training = 0;    // bytes at the peak
  uint64_t prediction = 0;  // bytes at the peak
};

// What the label lists ask of a sequence variant, whose steps in training are those of the longest list of a
// batch; set variants take model.steps whatever the labels.
struct SequenceSizes {
  int64_t steps = 0;    // labels of the longest list, and the end mark
  int64_t targets = 0;  // the most that a batch can have: labels and end marks
};
SequenceSizes sequence_sizes(const Dataset& data, int64_t batch);

// For documents of model.max_words words; model.steps must be known. word_ids and label_ids count the special
// ids. Where nothing is known about the label lists, they have model.steps labels.
MemoryEstimate estimate_memory(const Config& config, int64_t word_ids, int64_t label_ids, int threads,
                               std::optional<SequenceSizes> lists = {});

}  // namespace otseq2set
