// How much memory will training or prediction take? Said before the first step rather than after hours.
#pragma once

#include <cstdint>
#include <optional>

#include "otseq2set/config/config.h"
#include "otseq2set/corpus/dataset.h"

namespace otseq2set::inline store {

// Documents that go through the encoder together, on one thread; documents that the decoder takes together. Part
// of every result's definition, because products round differently in other shapes.
constexpr int64_t kShardDocuments = 8;
constexpr int64_t kDecodedTogether = 64;

// Groups of kDecodedTogether documents that are decoded at a time: one on each thread, which then waits for
// nobody, or one on all threads where there are too few of them or they would take too much memory. The
// answers are the same.
int64_t groups_at_once(const Config& config, int64_t label_ids, int64_t groups, int threads);

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
// ids. Where nothing is known about the label lists, they have model.steps labels. quantised: weights are bytes.
MemoryEstimate estimate_memory(const Config& config, int64_t word_ids, int64_t label_ids, int threads,
                               std::optional<SequenceSizes> lists = {}, bool quantised = false);

}  // namespace otseq2set::inline store
