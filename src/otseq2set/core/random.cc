#include "otseq2set/core/random.h"

#include <cassert>

namespace otseq2set::inline core {

namespace {

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 33)) * 0xff51afd7ed558ccdULL;
  z = (z ^ (z >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return z ^ (z >> 33);
}

}  // namespace

uint64_t hash_bytes(std::string_view bytes, uint64_t start) {
  uint64_t hash = start;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

RandomStream::RandomStream(uint64_t seed, std::string_view name, std::initializer_list<uint64_t> position)
    : state_(mix(seed + 0x632be59bd9b4e019ULL) ^ hash_bytes(name)) {
  for (uint64_t coordinate : position) state_ = mix(state_ + 0x9e3779b97f4a7c15ULL) + coordinate;
  state_ = mix(state_);
}

uint64_t RandomStream::below(uint64_t bound) {
  assert(bound > 0);
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;  // the largest multiple of bound that fits
  uint64_t value = next();
  while (value >= limit) value = next();
  return value % bound;
}

}  // namespace otseq2set::inline core
