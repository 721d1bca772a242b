// Pretrained word vectors: GloVe text (word v1 v2 ...) and fastText or word2vec .vec (the same, after a first
// line with the count and the dimension).
//
// Files hold millions of words of which a vocabulary has a few percent, so only the wanted ones are kept, and
// the numbers of the others are not looked at. A word may contain spaces, as some of GloVe 840B do: the last
// `dimension` fields of a line are the numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/text/string_index.h"

namespace otseq2set::inline text {

// How many numbers the first vector of the file has.
size_t vector_dimension(const std::string& path);

// Throws an Error when there is no file of vectors or the first has another width, without reading the others.
void check_first_vector(const std::string& path, size_t dimension);

class WordVectors {
 public:
  using Wanted = std::function<bool(std::string_view word)>;

  // Throws an Error with file and line when a vector has another width than `dimension` or holds what is not
  // a finite number, or when there are fewer than the first line says. A word that comes again is ignored.
  static WordVectors read(const std::string& path, size_t dimension, const Wanted& wanted);

  // Goes through the file as if every word were wanted,
  // and keeps nothing: visit(word) for each, in their order.
  static void check(const std::string& path, size_t dimension, const std::function<void(std::string_view word)>& visit);

  // The `dimension()` numbers of the word, or nullptr.
  const float* find(std::string_view word) const {
    const int32_t number = words_.find(word);
    return number < 0 ? nullptr : values_.data() + static_cast<size_t>(number) * dimension_;
  }

  size_t size() const { return words_.size(); }
  size_t dimension() const { return dimension_; }

 private:
  class Reader;

  explicit WordVectors(size_t dimension) : dimension_(dimension) {}

  StringIndex words_;
  std::vector<float> values_;  // [words, dimension]
  size_t dimension_;
};

}  // namespace otseq2set::inline text
