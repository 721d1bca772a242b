#include "otseq2set/text/string_index.h"

#include <cassert>
#include <cstring>

namespace otseq2set::inline text {

namespace {

constexpr size_t kFirstSlots = 16;

template <typename Integer>
uint64_t load(const char* bytes) {
  Integer value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// At most eight bytes as a number, by loads of a fixed width that may overlap; the length goes into the hash
// by itself. Equal numbers mean equal bytes when the counts are equal.
uint64_t load_short(const char* bytes, size_t count) {
  if (count == 8) return load<uint64_t>(bytes);
  if (count >= 4) return load<uint32_t>(bytes) | load<uint32_t>(bytes + count - 4) << 32;
  if (count >= 2) return load<uint16_t>(bytes) | load<uint16_t>(bytes + count - 2) << 16;
  return count == 1 ? load<uint8_t>(bytes) : 0;
}

// Most strings are short, and a call of memcmp takes longer than these loads.
bool equal(const char* a, const char* b, size_t count) {
  if (count <= 8) return load_short(a, count) == load_short(b, count);
  for (size_t i = 0; i + 8 < count; i += 8) {
    if (load<uint64_t>(a + i) != load<uint64_t>(b + i)) return false;
  }
  return load<uint64_t>(a + count - 8) == load<uint64_t>(b + count - 8);
}

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

// Eight bytes a multiplication, with the two halves of the product folded (as wyhash does): most words take
// one or two.
uint32_t StringIndex::hash_of(std::string_view text) {
  constexpr uint64_t kFirst = 0xa0761d6478bd642fULL, kSecond = 0xe7037ed1a0b428dbULL;
  uint64_t hash = kFirst ^ text.size();
  const char* bytes = text.data();
  size_t left = text.size();
  for (; left > 8; left -= 8, bytes += 8) hash = mix(hash ^ load<uint64_t>(bytes), kSecond);
  hash = mix(hash ^ load_short(bytes, left), kSecond);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

size_t StringIndex::slot_of(std::string_view text, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.number == kFree) return i;
    if (slot.hash != hash) continue;
    const uint64_t begin = ends_[slot.number], size = ends_[slot.number + 1] - begin;
    if (size == text.size() && equal(characters_.data() + begin, text.data(), size)) return i;
  }
}

int32_t StringIndex::find(std::string_view text) const {
  if (slots_.empty()) return kFree;
  return slots_[slot_of(text, hash_of(text))].number;
}

int32_t StringIndex::add(std::string_view text) {
  make_room(1);
  return add(text, hash_of(text));
}

int32_t StringIndex::add(std::string_view text, uint32_t hash) {
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.number == kFree) {
    assert(size() < INT32_MAX);
    slot = {hash, static_cast<int32_t>(size())};
    characters_.append(text);
    ends_.push_back(characters_.size());
  }
  return slot.number;
}

// Each string passes three stations while it comes nearer: its slot is fetched, then the place of the
// characters that the slot leads to, then these.
std::vector<int32_t> StringIndex::add_all(const StringIndex& other) {
  constexpr size_t kSlot = 24, kPlace = 16, kCharacters = 8;  // strings ahead
  make_room(other.size());
  const size_t mask = slots_.size() - 1;
  std::vector<uint32_t> hashes(other.size() + kSlot, 0);
  for (size_t i = 0; i < other.size(); ++i) hashes[i] = hash_of(other[static_cast<int32_t>(i)]);
  std::vector<int32_t> numbers(other.size());
  for (size_t i = 0; i < other.size(); ++i) {
    __builtin_prefetch(&slots_[hashes[i + kSlot] & mask]);
    const int32_t soon = slots_[hashes[i + kPlace] & mask].number;
    if (soon != kFree) __builtin_prefetch(&ends_[soon]);
    const int32_t next = slots_[hashes[i + kCharacters] & mask].number;
    if (next != kFree) __builtin_prefetch(characters_.data() + ends_[next]);
    numbers[i] = add(other[static_cast<int32_t>(i)], hashes[i]);
  }
  return numbers;
}

void StringIndex::make_room(size_t strings) {
  while (2 * (size() + strings) > slots_.size()) grow();
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

}  // namespace otseq2set::inline text
