#include "otseq2set/reproduction/data_result.h"

#include <gtest/gtest.h>

namespace otseq2set {
namespace {

TEST(DataResult, FiguresOfADataSet) {
  Dataset data(SIZE_MAX, 3);
  const auto add = [&](const std::vector<int32_t>& words, const std::vector<int32_t>& labels) {
    data.add("d", words, labels);
  };
  add({2, 3, 4}, {0});
  add({2}, {0, 1});
  add({2, 3}, {0, 1, data.unknown_label("new")});
  add({2, 2}, {});
  const DataResult result = data_result("some/where/file.jsonl", data);
  EXPECT_EQ(result.name, "file.jsonl");
  EXPECT_EQ(result.documents, 4u);
  EXPECT_EQ(result.labels, 3u) << "distinct ones that occur, known or not";
  EXPECT_EQ(result.most_labels, 3u);
  EXPECT_DOUBLE_EQ(result.mean_labels, 1.5);
  EXPECT_DOUBLE_EQ(result.mean_words, 2);
  EXPECT_DOUBLE_EQ(result.share_at_most_mean, 0.5);
  EXPECT_EQ(result.documents_with_size, (std::vector<uint64_t>{1, 1, 1, 1}));
}

TEST(DataResult, OfNothing) {
  const DataResult result = data_result("", Dataset());
  EXPECT_EQ(result.documents, 0u);
  EXPECT_EQ(result.mean_labels, 0);
}

}  // namespace
}  // namespace otseq2set
