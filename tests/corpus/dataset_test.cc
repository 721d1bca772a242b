#include "otseq2set/corpus/dataset.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace otseq2set {
namespace {

using Numbers = std::vector<int32_t>;

Numbers copy(Span<const int32_t> span) { return Numbers(span.begin(), span.end()); }

Dataset make(const std::vector<std::pair<Numbers, Numbers>>& documents, const std::string& first_id = "a") {
  Dataset dataset(3, 10);
  std::string id = first_id;
  for (const auto& [words, labels] : documents) {
    dataset.add(id, words, labels);
    id += 'x';
  }
  return dataset;
}

TEST(Dataset, GivesBackWhatWasAdded) {
  const Dataset dataset = make({{{2, 3}, {7}}, {{}, {}}, {{4, 5, 6, 7, 8}, {1, 0}}});
  ASSERT_EQ(dataset.size(), 3u);
  EXPECT_EQ(copy(dataset.words(0)), (Numbers{2, 3}));
  EXPECT_EQ(copy(dataset.words(1)), Numbers{});
  EXPECT_EQ(copy(dataset.words(2)), (Numbers{4, 5, 6}));  // cut to three
  EXPECT_EQ(copy(dataset.labels(0)), Numbers{7});
  EXPECT_EQ(copy(dataset.labels(2)), (Numbers{1, 0}));
  EXPECT_EQ(dataset.id(0), "a");
  EXPECT_EQ(dataset.id(2), "axx");
  EXPECT_EQ(dataset.largest_label_set(), 2u);
  EXPECT_EQ(dataset.lengths(), (std::vector<uint32_t>{2, 0, 3}));
}

TEST(Dataset, Empty) {
  const Dataset dataset;
  EXPECT_EQ(dataset.size(), 0u);
  EXPECT_EQ(dataset.largest_label_set(), 0u);
}

TEST(Dataset, UnknownLabelsFollowTheKnownOnes) {
  Dataset dataset(3, 10);
  EXPECT_EQ(dataset.unknown_label("new"), 10);
  EXPECT_EQ(dataset.unknown_label("newer"), 11);
  EXPECT_EQ(dataset.unknown_label("new"), 10);
  EXPECT_EQ(dataset.unknown_labels(), 2u);
  EXPECT_EQ(dataset.unknown_label_name(1), "newer");
}

TEST(Dataset, FingerprintSeesEveryDifference) {
  const std::set<uint64_t> fingerprints = {
      make({{{2, 3}, {7, 8}}, {{4}, {1}}}).fingerprint(),
      make({{{2, 3}, {8, 7}}, {{4}, {1}}}).fingerprint(),       // order of labels
      make({{{3, 2}, {7, 8}}, {{4}, {1}}}).fingerprint(),       // order of words
      make({{{2}, {7, 8}}, {{3, 4}, {1}}}).fingerprint(),       // a word in the next document
      make({{{2, 3}, {7}}, {{4}, {8, 1}}}).fingerprint(),       // a label in the next document
      make({{{2, 3}, {7, 8}}, {{4}, {1}}}, "b").fingerprint(),  // an id
      make({{{4}, {1}}, {{2, 3}, {7, 8}}}).fingerprint(),       // order of documents
      make({{{2, 3}, {7, 8}}}).fingerprint(),
  };
  EXPECT_EQ(fingerprints.size(), 8u);
  EXPECT_TRUE(fingerprints.count(make({{{2, 3}, {7, 8}}, {{4}, {1}}}).fingerprint()));
}

// Runs that were begun with an older program are resumed: their fingerprint must be met again.
TEST(Dataset, FingerprintStaysWhatItWas) {
  Dataset dataset(3, 10);
  dataset.add("a0", Numbers{2, 3}, Numbers{7, 8});
  dataset.add("a1", Numbers{4}, Numbers{1});
  EXPECT_EQ(dataset.fingerprint(), 2084117297726059485u);
}

}  // namespace
}  // namespace otseq2set
