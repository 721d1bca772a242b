#include "otseq2set/linear/nearest_documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "otseq2set/core/random.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::testing {
namespace {

using Words = std::vector<int32_t>;

constexpr int32_t kWords = 60, kLabels = 12;

Words random_words(RandomStream& random) {
  Words words;
  // Low numbers are frequent: some words are in more than 30 % of the documents, some in one alone.
  for (uint64_t k = 0; k < 3 + random.below(8); ++k) {
    const double place = random.uniform();
    words.push_back(kFirstWord + static_cast<int32_t>(place * place * kWords));
  }
  return words;
}

Dataset random_documents(size_t count) {
  Dataset data(SIZE_MAX, kLabels);
  for (size_t i = 0; i < count; ++i) {
    RandomStream random(1, "document", {i});
    std::set<int32_t> labels;
    for (uint64_t k = 0; k < 1 + random.below(3); ++k) labels.insert(static_cast<int32_t>(random.below(kLabels + 1)));
    data.add(std::to_string(i), random_words(random), Words(labels.begin(), labels.end()));
  }
  return data;
}

// By the formulas of the header, every document compared with the text, in double precision.
std::map<int32_t, double> plain_votes(const Dataset& data, const Words& text) {
  const auto n = static_cast<double>(data.size());
  std::map<int32_t, double> with;
  for (size_t i = 0; i < data.size(); ++i) {
    for (const int32_t word : std::set<int32_t>(data.words(i).begin(), data.words(i).end())) ++with[word];
  }
  const auto row = [&](const auto& words) {
    std::map<int32_t, double> values;
    for (const int32_t word : words) {
      if (with[word] > 1 && with[word] <= 0.3 * n) ++values[word];
    }
    double squares = 0;
    for (auto& [word, value] : values) {
      value = (1 + std::log(value)) * (1 + std::log((1 + n) / (1 + with[word])));
      squares += value * value;
    }
    for (auto& [word, value] : values) value /= std::sqrt(squares);
    return values;
  };
  const auto own = row(text);
  std::vector<std::pair<double, size_t>> nearest;
  for (size_t i = 0; i < data.size(); ++i) {
    double product = 0;
    for (const auto& [word, value] : row(data.words(i))) {
      if (own.count(word) > 0) product += value * own.at(word);
    }
    if (product > 0) nearest.emplace_back(-product, i);
  }
  std::sort(nearest.begin(), nearest.end());
  nearest.resize(std::min<size_t>(30, nearest.size()));
  std::map<int32_t, double> votes;
  double all = 0;
  for (const auto& [product, i] : nearest) {
    all += product * product;
    for (const int32_t label : data.labels(i)) {
      if (label < kLabels) votes[label] += product * product;
    }
  }
  for (auto& [label, vote] : votes) vote /= all;
  return votes;
}

TEST(NearestDocuments, VotesAreThoseOfThePlainFormula) {
  for (const size_t count : {20, 200}) {
    const Dataset data = random_documents(count);
    const NgramFeatures features = NgramFeatures::from_documents(data, kFirstWord + kWords, /*least_documents=*/2);
    const NearestDocuments nearest = NearestDocuments::from_documents(data, features);
    EXPECT_EQ(nearest.documents(), count);
    for (size_t i = 0; i < 50; ++i) {
      RandomStream random(1, "text", {i});
      const Words text = random_words(random);
      const std::map<int32_t, double> expected = plain_votes(data, text);
      const Votes votes = nearest.votes(text);
      ASSERT_EQ(votes.labels.size(), expected.size());
      auto wanted = expected.begin();
      for (const LabelVote& vote : votes.labels) {
        EXPECT_EQ(vote.label, wanted->first);
        EXPECT_NEAR(vote.share, wanted->second, 1e-5);
        ++wanted;
      }
    }
  }
}

TEST(NearestDocuments, ADocumentIsNearestToItself) {
  Dataset data(SIZE_MAX, 4);
  for (int32_t i = 0; i < 4; ++i) {
    for (int copy = 0; copy < 2; ++copy) {
      data.add("d", Words{kFirstWord + 2 * i, kFirstWord + 2 * i + 1}, Words{i});
    }
  }
  const NgramFeatures features = NgramFeatures::from_documents(data, kFirstWord + 8, 2);
  const Votes votes = NearestDocuments::from_documents(data, features).votes(data.words(2));
  ASSERT_EQ(votes.labels.size(), 1u);
  EXPECT_EQ(votes.labels[0].label, 1);
  EXPECT_FLOAT_EQ(votes.labels[0].share, 1);
  EXPECT_FLOAT_EQ(votes.nearest, 1);
}

TEST(NearestDocuments, ATextWithoutKnownWordsHasNoVotes) {
  const Dataset data = random_documents(50);
  const NgramFeatures features = NgramFeatures::from_documents(data, kFirstWord + kWords, 2);
  const NearestDocuments nearest = NearestDocuments::from_documents(data, features);
  for (const Words& text : {Words{}, Words{kUnknownWord, kUnknownWord}}) {
    EXPECT_TRUE(nearest.votes(text).labels.empty());
    EXPECT_EQ(nearest.votes(text).nearest, 0);
  }
}

}  // namespace
}  // namespace otseq2set::testing
