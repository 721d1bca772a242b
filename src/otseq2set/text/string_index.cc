#include "otseq2set/text/string_index.h"

#include <cassert>
#include <climits>
#include <functional>

namespace otseq2set {

namespace {

constexpr size_t kFirstSlots = 16;

uint32_t hash_of(std::string_view text) {
  const uint64_t hash = std::hash<std::string_view>()(text);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

size_t StringIndex::slot_of(std::string_view text, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.number == kFree || (slot.hash == hash && (*this)[slot.number] == text)) return i;
  }
}

int32_t StringIndex::find(std::string_view text) const {
  if (slots_.empty()) return kFree;
  return slots_[slot_of(text, hash_of(text))].number;
}

int32_t StringIndex::add(std::string_view text) {
  if (2 * (size() + 1) > slots_.size()) grow();
  const uint32_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.number == kFree) {
    assert(size() < INT32_MAX);
    slot = {hash, static_cast<int32_t>(size())};
    characters_.append(text);
    ends_.push_back(characters_.size());
  }
  return slot.number;
}

void StringIndex::grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? kFirstSlots : 2 * old.size(), Slot{});
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == kFree) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].number != kFree) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

}  // namespace otseq2set
