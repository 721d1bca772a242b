// The words a model knows and their ids, which are the rows of its word embedding: padding 0, unknown 1, then
// the words from the most frequent to the rarest. Equally frequent words stand in the order of their bytes,
// so that the ids depend on the counts alone.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "otseq2set/text/string_index.h"

namespace otseq2set::inline text {

constexpr int32_t kPaddingWord = 0;
constexpr int32_t kUnknownWord = 1;
constexpr int32_t kFirstWord = 2;

// Whether texts are hardly texts, but ids or codes: many documents with next to no words, or always the same few.
bool has_hardly_any_words(uint64_t documents, uint64_t words, uint64_t distinct_words);

class Vocabulary {
 public:
  // The `cap` most frequent of the words that occur at least `min_count` times; the words given are distinct.
  static Vocabulary from_counts(std::vector<std::pair<std::string, uint64_t>> counts, size_t cap, uint64_t min_count);

  // kUnknownWord when the word is not known.
  int32_t id(std::string_view word) const {
    const int32_t number = words_.find(word);
    return number < 0 ? kUnknownWord : number + kFirstWord;
  }

  // "<padding>" and "<unknown>" for the special ids.
  std::string_view word(int32_t id) const;

  size_t words() const { return words_.size(); }             // without the special ids
  size_t ids() const { return words_.size() + kFirstWord; }  // with them

  // words.txt: one word a line, the first line has id 2. `name` is the file that errors name.
  void save(std::ostream& out) const;
  static Vocabulary load(std::istream& in, const std::string& name);

 private:
  StringIndex words_;
};

}  // namespace otseq2set::inline text
