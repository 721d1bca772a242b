#include "otseq2set/text/vocabulary.h"

#include <algorithm>
#include <cassert>

#include "otseq2set/core/error.h"

namespace otseq2set::inline text {

bool has_hardly_any_words(uint64_t documents, uint64_t words, uint64_t distinct_words) {
  constexpr uint64_t kManyDocuments = 100, kFewWords = 10, kShortText = 2;
  return documents > kManyDocuments && (distinct_words < kFewWords || words <= kShortText * documents);
}

Vocabulary Vocabulary::from_counts(std::vector<std::pair<std::string, uint64_t>> counts, size_t cap,
                                   uint64_t min_count) {
  const auto is_rare = [&](const auto& word) { return word.second < min_count; };
  counts.erase(std::remove_if(counts.begin(), counts.end(), is_rare), counts.end());
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (counts.size() > cap) counts.resize(cap);
  Vocabulary vocabulary;
  for (const auto& [word, count] : counts) vocabulary.words_.add(word);
  assert(vocabulary.words() == counts.size());
  return vocabulary;
}

std::string_view Vocabulary::word(int32_t id) const {
  assert(id >= 0 && static_cast<size_t>(id) < ids());
  if (id == kPaddingWord) return "<padding>";
  if (id == kUnknownWord) return "<unknown>";
  return words_[id - kFirstWord];
}

void Vocabulary::save(std::ostream& out) const {
  for (size_t i = 0; i < words(); ++i) out << words_[static_cast<int32_t>(i)] << '\n';
}

Vocabulary Vocabulary::load(std::istream& in, const std::string& name) {
  Vocabulary vocabulary;
  std::string word;
  for (size_t line = 1; std::getline(in, word); ++line) {
    if (!word.empty() && word.back() == '\r') word.pop_back();
    if (word.empty()) fail("{}:{}: expected a word, but the line is empty", name, line);
    // No tokenizer makes such a word, and it would not come back from the file.
    if (word.back() == '\r') fail("{}:{}: a word ends with a carriage return", name, line);
    const int32_t number = vocabulary.words_.add(word);
    if (vocabulary.words() < line) fail("{}:{}: '{}' is already in line {}", name, line, word, number + 1);
  }
  if (in.bad()) fail("{}: cannot be read", name);
  return vocabulary;
}

}  // namespace otseq2set::inline text
