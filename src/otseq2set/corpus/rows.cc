#include "otseq2set/corpus/rows.h"

#include <algorithm>
#include <cassert>

#include "otseq2set/core/random.h"

namespace otseq2set::inline corpus {

namespace {

uint64_t hash_values(const void* values, size_t bytes, uint64_t start) {
  return hash_bytes({static_cast<const char*>(values), bytes}, start);
}

}  // namespace

void Rows::add(Span<const int32_t> row) {
  assert(row.size() <= UINT32_MAX);
  if (pieces_.empty() || pieces_.back().capacity() - pieces_.back().size() < row.size()) {
    pieces_.emplace_back();
    pieces_.back().reserve(std::max(row.size(), kPiece));
  }
  auto& piece = pieces_.back();
  places_.push_back({static_cast<uint32_t>(pieces_.size() - 1), static_cast<uint32_t>(piece.size()),
                     static_cast<uint32_t>(row.size())});
  piece.insert(piece.end(), row.begin(), row.end());
}

uint64_t Rows::hash(uint64_t start) const {
  uint64_t end = 0;
  uint64_t hash = hash_values(&end, sizeof end, start);
  for (const Place& place : places_) {
    end += place.size;
    hash = hash_values(&end, sizeof end, hash);
  }
  for (const auto& piece : pieces_) hash = hash_values(piece.data(), piece.size() * sizeof(int32_t), hash);
  return hash;
}

}  // namespace otseq2set::inline corpus
