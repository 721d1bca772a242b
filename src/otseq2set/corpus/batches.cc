#include "otseq2set/corpus/batches.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "otseq2set/core/random.h"

namespace otseq2set::inline corpus {

namespace {

constexpr size_t kBatchesInPool = 64;

}  // namespace

std::vector<std::vector<uint32_t>> epoch_batches(const std::vector<uint32_t>& lengths, size_t batch, uint64_t seed,
                                                 uint64_t epoch) {
  assert(batch > 0);
  RandomStream random(seed, "shuffle", {epoch});
  std::vector<uint32_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);

  std::vector<std::vector<uint32_t>> batches;
  const size_t pool = kBatchesInPool * batch;
  for (size_t begin = 0; begin < order.size(); begin += pool) {
    const size_t end = std::min(begin + pool, order.size());
    std::stable_sort(order.begin() + begin, order.begin() + end,
                     [&](uint32_t a, uint32_t b) { return lengths[a] > lengths[b]; });
    for (size_t i = begin; i < end; i += batch) {
      batches.emplace_back(order.begin() + i, order.begin() + std::min(i + batch, end));
    }
  }
  random.shuffle(batches);
  return batches;
}

}  // namespace otseq2set::inline corpus
