// Random numbers from named streams, so that a result depends on the seed and on what a number is for, never
// on how many other numbers were drawn before it or by which thread.
//
//   RandomStream shuffle(seed, "shuffle", {epoch});
//
// Two streams with a different seed, name or position are independent; the same three give the same numbers
// on every machine. There is no global state to save: a resumed run names the same streams again.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace otseq2set::inline core {

class RandomStream {
 public:
  RandomStream(uint64_t seed, std::string_view name, std::initializer_list<uint64_t> position = {});

  // 64 random bits (SplitMix64 over a key made of seed, name and position).
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // Uniform in 0 .. bound - 1, without bias; bound > 0.
  uint64_t below(uint64_t bound);

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  uint64_t state_;
};

// A 64-bit hash of bytes (FNV-1a), for keys and fingerprints; not for hostile input.
uint64_t hash_bytes(std::string_view bytes, uint64_t start = 0xcbf29ce484222325ULL);

}  // namespace otseq2set::inline core
