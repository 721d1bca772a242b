#include "otseq2set/linear/ngram_features.h"

#include <algorithm>
#include <cmath>

#include "otseq2set/core/threads.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline linear {

namespace {

constexpr size_t kRowsTogether = 256;

uint64_t pair_key(int32_t first, int32_t second) {
  return static_cast<uint64_t>(static_cast<uint32_t>(first)) << 32 | static_cast<uint32_t>(second);
}

bool is_known(int32_t word) { return word >= kFirstWord; }

template <typename T>
void make_distinct(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::vector<uint64_t> distinct_pairs(Span<const int32_t> words) {
  std::vector<uint64_t> pairs;
  for (size_t i = 1; i < words.size(); ++i) {
    if (is_known(words[i - 1]) && is_known(words[i])) pairs.push_back(pair_key(words[i - 1], words[i]));
  }
  make_distinct(pairs);
  return pairs;
}

struct CountedPairs {
  std::vector<uint64_t> pairs;  // ascending
  std::vector<size_t> documents;
};

// Pairs are counted by sorting. So that memory stays bounded, not all at once: those of some first words at a time.
constexpr size_t kSortedTogether = size_t{1} << 26;

// Where the shares of first words begin and end, each with about kSortedTogether occurrences or fewer.
std::vector<uint64_t> shares_of_words(const Dataset& documents, size_t word_ids) {
  std::vector<size_t> occurrences(word_ids);
  for (size_t i = 0; i < documents.size(); ++i) {
    for (const int32_t word : documents.words(i)) ++occurrences[word];
  }
  std::vector<uint64_t> ends = {0};
  size_t sum = 0;
  for (size_t word = 0; word < word_ids; ++word) {
    if (sum > 0 && sum + occurrences[word] > kSortedTogether) {
      ends.push_back(word);
      sum = 0;
    }
    sum += occurrences[word];
  }
  ends.push_back(word_ids);
  return ends;
}

CountedPairs count_pairs(const Dataset& documents, size_t word_ids, size_t least_documents) {
  const std::vector<uint64_t> ends = shares_of_words(documents, word_ids);
  CountedPairs counted;
  std::vector<uint64_t> all;
  for (size_t share = 0; share + 1 < ends.size(); ++share) {
    all.clear();
    for (size_t i = 0; i < documents.size(); ++i) {
      for (const uint64_t pair : distinct_pairs(documents.words(i))) {
        if (pair >> 32 >= ends[share] && pair >> 32 < ends[share + 1]) all.push_back(pair);
      }
    }
    std::sort(all.begin(), all.end());
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && all[end] == all[begin]) ++end;
      if (end - begin < least_documents) continue;
      counted.pairs.push_back(all[begin]);
      counted.documents.push_back(end - begin);
    }
  }
  return counted;
}

}  // namespace

NgramFeatures::NgramFeatures(SharedArray<uint64_t> pairs, SharedArray<float> idf)
    : pairs_(std::move(pairs)), idf_(std::move(idf)) {}

NgramFeatures NgramFeatures::from_documents(const Dataset& documents, size_t word_ids, size_t least_documents) {
  std::vector<size_t> with(word_ids - kFirstWord);
  std::vector<int32_t> words;
  for (size_t i = 0; i < documents.size(); ++i) {
    words.assign(documents.words(i).begin(), documents.words(i).end());
    make_distinct(words);
    for (const int32_t word : words) {
      if (is_known(word)) ++with[word - kFirstWord];
    }
  }
  CountedPairs counted;
  if (least_documents > 0) counted = count_pairs(documents, word_ids, least_documents);
  with.insert(with.end(), counted.documents.begin(), counted.documents.end());
  std::vector<float> idf;
  idf.reserve(with.size());
  for (const size_t count : with) {
    const double all = 1.0 + static_cast<double>(documents.size());
    idf.push_back(static_cast<float>(1 + std::log(all / (1.0 + static_cast<double>(count)))));
  }
  return {std::move(counted.pairs), std::move(idf)};
}

int32_t NgramFeatures::word_feature(int32_t word) const {
  return is_known(word) && word - kFirstWord < static_cast<int32_t>(words()) ? word - kFirstWord : -1;
}

int32_t NgramFeatures::pair_feature(int32_t first, int32_t second) const {
  if (!is_known(first) || !is_known(second)) return -1;
  const uint64_t key = pair_key(first, second);
  const auto place = std::lower_bound(pairs_.begin(), pairs_.end(), key);
  return place != pairs_.end() && *place == key ? static_cast<int32_t>(words() + (place - pairs_.begin())) : -1;
}

std::vector<Feature> NgramFeatures::row(Span<const int32_t> words) const {
  std::vector<int32_t> found;
  for (size_t i = 0; i < words.size(); ++i) {
    found.push_back(word_feature(words[i]));
    if (i > 0 && !pairs_.empty()) found.push_back(pair_feature(words[i - 1], words[i]));
  }
  std::sort(found.begin(), found.end());
  std::vector<Feature> row;
  double squares = 0;
  for (auto begin = std::lower_bound(found.begin(), found.end(), 0); begin != found.end();) {
    const auto end = std::upper_bound(begin, found.end(), *begin);
    const double value = (1 + std::log(static_cast<double>(end - begin))) * idf_[*begin];
    row.push_back({*begin, static_cast<float>(value)});
    squares += value * value;
    begin = end;
  }
  for (Feature& feature : row) feature.value = static_cast<float>(feature.value / std::sqrt(squares));
  return row;
}

FeatureRows NgramFeatures::rows(const Dataset& documents) const {
  FeatureRows rows;
  const size_t blocks = (documents.size() + kRowsTogether - 1) / kRowsTogether;
  using Block = std::vector<std::vector<Feature>>;
  const auto compute = [&](int64_t block) {
    Block own;
    const size_t begin = block * kRowsTogether, end = std::min(begin + kRowsTogether, documents.size());
    for (size_t i = begin; i < end; ++i) own.push_back(row(documents.words(i)));
    return own;
  };
  parallel_for_in_groups(static_cast<int64_t>(blocks), compute, [&](int64_t, const Block& block) {
    for (const auto& row : block) rows.add(row);
  });
  return rows;
}

}  // namespace otseq2set::inline linear
