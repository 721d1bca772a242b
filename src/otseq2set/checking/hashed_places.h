// On which lines of a file equal things stand, when the things themselves are too many to be kept: 12 bytes
// for each, a hash of 64 bits and a line number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace otseq2set::inline checking {

class HashedPlaces {
 public:
  // Two lines with the same hash. Of several equal ones, the first is `first` of all the others.
  struct Pair {
    uint64_t line, first;
  };
  struct Pairs {
    uint64_t count = 0;
    std::vector<Pair> first_pairs;  // the `most` pairs with the lowest `line`, in this order
  };

  static constexpr size_t kBytes = 12;  // that an entry takes

  void add(uint64_t hash, uint64_t line);
  size_t size() const { return entries_.size(); }

  // Those that stand on an earlier line too.
  Pairs repeated(size_t most);

  // Those of this file that stand in `other` too, where `first` is the line.
  Pairs also_in(HashedPlaces& other, size_t most);

 private:
  struct Entry {
    uint32_t low, high;  // of the hash; one field of 8 bytes would take 16 with the line
    uint32_t line;

    uint64_t hash() const { return uint64_t{high} << 32 | low; }
  };
  static_assert(sizeof(Entry) == kBytes);
  using Entries = std::deque<Entry>;  // grows without moving

  void sort();

  Entries entries_;
  bool sorted_ = true;  // by hash, then line
};

}  // namespace otseq2set::inline checking
