#include "otseq2set/linear/label_mentions.h"

#include <algorithm>
#include <string_view>

#include "otseq2set/text/label_words.h"
#include "otseq2set/text/string_index.h"

namespace otseq2set::inline linear {

namespace {

constexpr size_t kShortest = 4, kLongest = 8, kEnding = 2;  // letters
constexpr size_t kShortWord = 2;                            // "of" and "in" say nothing

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

size_t letters(std::string_view word) {
  return static_cast<size_t>(std::count_if(word.begin(), word.end(), begins_letter));
}

std::string_view stem(std::string_view word) {
  const size_t all = letters(word);
  const size_t kept = std::min(std::max(kShortest, all - std::min(all, kEnding)), kLongest);
  size_t seen = 0;
  for (size_t i = 0; i < word.size(); ++i) {
    if (begins_letter(word[i]) && ++seen > kept) return word.substr(0, i);
  }
  return word;
}

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char byte) { return byte >= '0' && byte <= '9'; });
}

bool is_phrase(const std::vector<int32_t>& text, const std::vector<int32_t>& name) {
  return std::search(text.begin(), text.end(), name.begin(), name.end()) != text.end();
}

}  // namespace

LabelMentions::LabelMentions(const LabelVocabulary& labels, const Vocabulary& words, const Tokenizer& tokenizer,
                             const NgramFeatures& features)
    : stem_of_word_(words.ids(), -1), names_(labels.size()) {
  StringIndex stems;
  for (size_t label = 0; label < labels.size(); ++label) {
    Name& name = names_[label];
    for (const std::string& word :
         label_words(std::string(labels.display_name(static_cast<int32_t>(label))), tokenizer)) {
      if (letters(word) > kShortWord || has_digit(word)) name.stems.push_back(stems.add(stem(word)));
    }
    name.distinct = name.stems;
    std::sort(name.distinct.begin(), name.distinct.end());
    name.distinct.erase(std::unique(name.distinct.begin(), name.distinct.end()), name.distinct.end());
  }
  // A stem is as frequent as the most frequent of its words.
  const auto& idf = features.idf();
  weights_.assign(stems.size(), idf.empty() ? 1 : *std::max_element(idf.begin(), idf.end()));
  for (auto word = static_cast<size_t>(kFirstWord); word < words.ids(); ++word) {
    const int32_t found = stems.find(stem(words.word(static_cast<int32_t>(word))));
    if (found < 0) continue;
    stem_of_word_[word] = found;
    const int32_t feature = features.word_feature(static_cast<int32_t>(word));
    if (feature >= 0) weights_[found] = std::min(weights_[found], idf[feature]);
  }
  labels_of_stem_.resize(stems.size());
  for (size_t label = 0; label < names_.size(); ++label) {
    names_[label].weight = 0;
    for (const int32_t one : names_[label].distinct) {
      labels_of_stem_[one].push_back(static_cast<int32_t>(label));
      names_[label].weight += weights_[one];
    }
  }
}

std::vector<Mention> LabelMentions::find(Span<const int32_t> words) const {
  std::vector<int32_t> text;  // -1 stands for a word that is in no name
  for (const int32_t word : words) {
    text.push_back(word >= 0 && static_cast<size_t>(word) < stem_of_word_.size() ? stem_of_word_[word] : -1);
  }
  std::vector<int32_t> sorted = text;
  std::sort(sorted.begin(), sorted.end());
  const auto times = [&](int32_t one) {
    const auto [begin, end] = std::equal_range(sorted.begin(), sorted.end(), one);
    return static_cast<uint32_t>(end - begin);
  };
  std::vector<int32_t> touched;
  for (auto at = std::lower_bound(sorted.begin(), sorted.end(), 0); at != sorted.end();
       at = std::upper_bound(at, sorted.end(), *at)) {
    touched.insert(touched.end(), labels_of_stem_[*at].begin(), labels_of_stem_[*at].end());
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());

  std::vector<Mention> mentions;
  for (const int32_t label : touched) {
    const Name& name = names_[label];
    float found = 0;
    uint32_t least = UINT32_MAX;
    for (const int32_t one : name.distinct) {
      const uint32_t count = times(one);
      if (count > 0) found += weights_[one];
      least = std::min(least, count);
    }
    mentions.push_back({label, found / name.weight, name.weight, least > 0 && is_phrase(text, name.stems), least});
  }
  return mentions;
}

}  // namespace otseq2set::inline linear
