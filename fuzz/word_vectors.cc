// Word vectors: whatever is read is finite and found again.
#include "otseq2set/text/word_vectors.h"

#include <cmath>

#include "fuzz.h"

namespace otseq2set::fuzz {

void run(std::string_view input) {
  const unsigned choice = take_byte(input);
  const MemoryFile file(input);
  const size_t dimension = choice % 2 == 0 ? 1 + choice / 2 % 8 : vector_dimension(file.path());
  std::vector<std::string> words;
  const WordVectors vectors = WordVectors::read(file.path(), dimension, [&](std::string_view word) {
    words.emplace_back(word);
    return word.find('!') == std::string_view::npos;
  });
  for (const std::string& word : words) {
    const float* values = vectors.find(word);
    require((values != nullptr) == (word.find('!') == std::string_view::npos));
    for (size_t i = 0; values && i < dimension; ++i) require(std::isfinite(values[i]));
  }
}

}  // namespace otseq2set::fuzz
