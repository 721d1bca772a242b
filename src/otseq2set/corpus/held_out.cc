#include "otseq2set/corpus/held_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "otseq2set/core/random.h"

namespace otseq2set::inline corpus {

// Never falls as documents are added, and rises by at most one for each.
size_t HeldOut::wanted(size_t documents) const {
  if (fraction_ <= 0 || documents < 2) return 0;
  const auto rounded = static_cast<size_t>(std::llround(fraction_ * static_cast<double>(documents)));
  return std::clamp<size_t>(rounded, 1, documents - 1);
}

std::vector<bool> HeldOut::choose(size_t count) {
  const size_t number = wanted(documents_ + count) - wanted(documents_);
  documents_ += count;
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  RandomStream(seed_, "valid_split", {chunk_++}).shuffle(order);
  std::vector<bool> held_out(count, false);
  for (size_t i = 0; i < number; ++i) held_out[order[i]] = true;
  return held_out;
}

}  // namespace otseq2set::inline corpus
