// Rows of integers, one after the other, in pieces that are never moved.
//
// An array that doubles when it is full holds its values twice while it moves, and leaves the old
// memory as a hole. With pieces of a fixed size, millions of documents take what their values
// take. A row lies in one piece.
#pragma once

#include <cstdint>
#include <vector>

#include "otseq2set/core/span.h"

namespace otseq2set::inline corpus {

class Rows {
 public:
  void add(Span<const int32_t> row);

  size_t size() const { return places_.size(); }
  Span<const int32_t> operator[](size_t i) const {
    return {pieces_[places_[i].piece].data() + places_[i].begin, places_[i].size};
  }

  // Replaces every value by value_of(value), in order.
  template <typename ValueOf>
  void replace(const ValueOf& value_of) {
    for (auto& piece : pieces_) {
      for (int32_t& value : piece) value = value_of(value);
    }
  }

  // Goes on hashing: first where each row begins and ends in the order of all values, then the values.
  uint64_t hash(uint64_t start) const;

 private:
  static constexpr size_t kPiece = size_t{1} << 20;
  struct Place {
    uint32_t piece, begin, size;
  };

  std::vector<std::vector<int32_t>> pieces_;
  std::vector<Place> places_;
};

}  // namespace otseq2set::inline corpus
