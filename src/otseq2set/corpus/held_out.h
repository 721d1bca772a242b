// Which documents of the training file are held out for validation when there is no file for it.
//
// Of n documents round(fraction * n) are held out, at least one and never all; which ones is drawn for each
// chunk of the file by itself. So the choice is known while the file streams by, before the words of a chunk
// are counted, and the held-out part is spread evenly over a file that is sorted in some way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace otseq2set::inline corpus {

class HeldOut {
 public:
  HeldOut(double fraction, uint64_t seed) : fraction_(fraction), seed_(seed) {}

  // For the next `count` documents of the file: is it held out?
  std::vector<bool> choose(size_t count);

 private:
  size_t wanted(size_t documents) const;

  double fraction_;
  uint64_t seed_;
  uint64_t chunk_ = 0;
  size_t documents_ = 0;  // seen so far
};

}  // namespace otseq2set::inline corpus
