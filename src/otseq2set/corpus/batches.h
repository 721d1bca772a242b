// Which documents are computed together, in which order, for one epoch.
//
// Documents of like length share a batch, so that little padding is needed; yet the batches of every epoch
// differ: the documents are shuffled, each pool of 64 batches is sorted by length and cut, and the batches
// are shuffled again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace otseq2set::inline corpus {

// Every document 0 .. lengths.size() - 1 once; inside a batch from the longest to the shortest. One batch may
// have fewer than `batch` documents. Depends on seed and epoch alone.
std::vector<std::vector<uint32_t>> epoch_batches(const std::vector<uint32_t>& lengths, size_t batch, uint64_t seed,
                                                 uint64_t epoch);

}  // namespace otseq2set::inline corpus
