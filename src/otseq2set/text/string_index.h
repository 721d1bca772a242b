// Distinct strings numbered 0, 1, 2, ... in the order they were added, found again by their bytes.
//
// All characters lie in one block and the hash table holds numbers only, so that millions of words cost
// little more than their letters, a lookup allocates nothing, and a copy is a plain copy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace otseq2set::inline text {

class StringIndex {
 public:
  // The number of the string, which is added when it is new.
  int32_t add(std::string_view text);

  // Adds all strings of another index; string i of it has here the number that stands at i in the result.
  // In a large index every lookup waits for memory several times, and here those waits overlap.
  std::vector<int32_t> add_all(const StringIndex& other);

  // The number of the string, or -1.
  int32_t find(std::string_view text) const;

  // Valid until the next add.
  std::string_view operator[](int32_t number) const {
    return std::string_view(characters_).substr(ends_[number], ends_[number + 1] - ends_[number]);
  }

  size_t size() const { return ends_.size() - 1; }

 private:
  struct Slot {
    uint32_t hash;
    int32_t number = kFree;
  };
  static constexpr int32_t kFree = -1;

  static uint32_t hash_of(std::string_view text);
  // Where the string is, or the free slot where it belongs.
  size_t slot_of(std::string_view text, uint32_t hash) const;
  int32_t add(std::string_view text, uint32_t hash);  // there is room for one more
  void make_room(size_t strings);
  void grow();

  std::string characters_;
  std::vector<uint64_t> ends_ = {0};  // string i is the characters [ends_[i], ends_[i + 1])
  std::vector<Slot> slots_;           // a power of two of them, at most half in use, linear probing
};

}  // namespace otseq2set::inline text
