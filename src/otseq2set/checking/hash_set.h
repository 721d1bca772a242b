// A set of 64-bit hashes: 16 to 32 bytes for each, whatever was hashed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace otseq2set::inline checking {

class HashSet {
 public:
  // False when it was there already.
  bool insert(uint64_t hash) {
    if (hash == kFree) return !std::exchange(has_free_value_, true);
    if (2 * (used_ + 1) > slots_.size()) grow();
    uint64_t& slot = slot_of(hash);
    if (slot == hash) return false;
    slot = hash;
    ++used_;
    return true;
  }

  bool contains(uint64_t hash) const {
    if (hash == kFree) return has_free_value_;
    return !slots_.empty() && const_cast<HashSet*>(this)->slot_of(hash) == hash;
  }

  size_t size() const { return used_ + (has_free_value_ ? 1 : 0); }

 private:
  static constexpr uint64_t kFree = 0;
  static constexpr size_t kFirstSlots = 64;

  uint64_t& slot_of(uint64_t hash) {
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    while (slots_[i] != kFree && slots_[i] != hash) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    const std::vector<uint64_t> old = std::move(slots_);
    slots_.assign(old.empty() ? kFirstSlots : 2 * old.size(), kFree);
    for (const uint64_t hash : old) {
      if (hash != kFree) slot_of(hash) = hash;
    }
  }

  std::vector<uint64_t> slots_;  // a power of two of them, at most half in use
  size_t used_ = 0;
  bool has_free_value_ = false;
};

}  // namespace otseq2set::inline checking
