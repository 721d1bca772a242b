#include "otseq2set/linear/ngram_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "otseq2set/core/threads.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::testing {
namespace {

using Words = std::vector<int32_t>;

constexpr int32_t kA = kFirstWord, kB = kFirstWord + 1, kC = kFirstWord + 2;
constexpr size_t kWordIds = kFirstWord + 3;

Dataset documents(const std::vector<Words>& texts) {
  Dataset data;
  for (const Words& words : texts) data.add("", words, Words{});
  return data;
}

// a b a | a b | c unknown a
Dataset three() { return documents({{kA, kB, kA}, {kA, kB}, {kC, kUnknownWord, kA}}); }

double idf(double documents_with) { return 1 + std::log(4 / (1 + documents_with)); }  // of three documents

TEST(NgramFeatures, PairsNeedSoManyDocuments) {
  EXPECT_EQ(NgramFeatures::from_documents(three(), kWordIds, 0).size(), 3u);
  EXPECT_EQ(NgramFeatures::from_documents(three(), kWordIds, 1).size(), 5u);  // with a b and b a
  const NgramFeatures two = NgramFeatures::from_documents(three(), kWordIds, 2);
  EXPECT_EQ(two.size(), 4u);
  EXPECT_EQ(two.pair_feature(kA, kB), 3);
  EXPECT_EQ(two.pair_feature(kB, kA), -1);
  EXPECT_EQ(two.pair_feature(kA, kUnknownWord), -1);
  EXPECT_EQ(two.word_feature(kC), 2);
  EXPECT_EQ(two.word_feature(kUnknownWord), -1);
  EXPECT_EQ(two.word_feature(kPaddingWord), -1);
}

TEST(NgramFeatures, ValuesAreSublinearTfIdfOfLengthOne) {
  const NgramFeatures features = NgramFeatures::from_documents(three(), kWordIds, 2);
  const std::vector<Feature> row = features.row(Words{kA, kB, kA, kUnknownWord, kC});
  ASSERT_EQ(row.size(), 4u);
  const double values[] = {(1 + std::log(2)) * idf(3), idf(2), idf(1), idf(2)};  // a twice, b, c, the pair a b
  double squares = 0;
  for (const double value : values) squares += value * value;
  for (int32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(row[i].number, i);
    EXPECT_NEAR(row[i].value, values[i] / std::sqrt(squares), 1e-6);
  }
}

TEST(NgramFeatures, AnUnknownWordEndsAPair) {
  const NgramFeatures features = NgramFeatures::from_documents(three(), kWordIds, 1);
  for (const Feature& feature : features.row(Words{kA, kUnknownWord, kB})) EXPECT_LT(feature.number, 3);
}

TEST(NgramFeatures, ATextWithoutKnownWordsHasNone) {
  const NgramFeatures features = NgramFeatures::from_documents(three(), kWordIds, 1);
  EXPECT_TRUE(features.row(Words{}).empty());
  EXPECT_TRUE(features.row(Words{kUnknownWord, kUnknownWord}).empty());
}

TEST(NgramFeatures, RowsAreThoseOfEachDocumentOnAnyNumberOfThreads) {
  std::vector<Words> texts;
  for (int32_t i = 0; i < 1000; ++i) texts.push_back(Words(i % 7, kFirstWord + i % 3));
  const Dataset data = documents(texts);
  const NgramFeatures features = NgramFeatures::from_documents(data, kWordIds, 2);
  for (const int threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    const FeatureRows rows = features.rows(data);
    ASSERT_EQ(rows.size(), texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::vector<Feature> row = features.row(texts[i]);
      ASSERT_EQ(rows[i].size, static_cast<int64_t>(row.size())) << i;
      for (size_t j = 0; j < row.size(); ++j) {
        EXPECT_EQ(rows[i].features[j], row[j].number);
        EXPECT_EQ(rows[i].values[j], row[j].value);
      }
    }
  }
}

}  // namespace
}  // namespace otseq2set::testing
