#include "otseq2set/checking/hashed_places.h"

#include <algorithm>

namespace otseq2set::inline checking {

namespace {

// Keeps the pairs with the lowest lines.
class LowestPairs {
 public:
  explicit LowestPairs(size_t most) : most_(most) {}

  void add(const HashedPlaces::Pair& pair) {
    ++pairs_.count;
    auto& kept = pairs_.first_pairs;
    if (kept.size() == most_) {
      if (kept.empty() || !before(pair, kept.front())) return;
      std::pop_heap(kept.begin(), kept.end(), before);
      kept.pop_back();
    }
    kept.push_back(pair);
    std::push_heap(kept.begin(), kept.end(), before);
  }

  HashedPlaces::Pairs take() {
    std::sort_heap(pairs_.first_pairs.begin(), pairs_.first_pairs.end(), before);
    return std::move(pairs_);
  }

 private:
  static bool before(const HashedPlaces::Pair& a, const HashedPlaces::Pair& b) { return a.line < b.line; }

  size_t most_;
  HashedPlaces::Pairs pairs_;
};

}  // namespace

void HashedPlaces::add(uint64_t hash, uint64_t line) {
  entries_.push_back({static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32),
                      static_cast<uint32_t>(std::min<uint64_t>(line, UINT32_MAX))});
  sorted_ = false;
}

void HashedPlaces::sort() {
  if (sorted_) return;
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.hash() != b.hash() ? a.hash() < b.hash() : a.line < b.line;
  });
  sorted_ = true;
}

HashedPlaces::Pairs HashedPlaces::repeated(size_t most) {
  sort();
  LowestPairs pairs(most);
  const Entry* first = nullptr;
  for (const Entry& entry : entries_) {
    if (first && first->hash() == entry.hash()) {
      pairs.add({entry.line, first->line});
    } else {
      first = &entry;
    }
  }
  return pairs.take();
}

HashedPlaces::Pairs HashedPlaces::also_in(HashedPlaces& other, size_t most) {
  sort();
  other.sort();
  LowestPairs pairs(most);
  auto there = other.entries_.begin();
  for (const Entry& entry : entries_) {
    while (there != other.entries_.end() && there->hash() < entry.hash()) ++there;
    if (there == other.entries_.end()) break;
    if (there->hash() == entry.hash()) pairs.add({entry.line, there->line});
  }
  return pairs.take();
}

}  // namespace otseq2set::inline checking
