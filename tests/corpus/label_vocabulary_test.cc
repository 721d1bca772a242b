#include "otseq2set/corpus/label_vocabulary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

using Counts = std::vector<std::pair<std::string, uint64_t>>;

const Counts kCounts = {{"trade \"policy\"", 3}, {"b", 3}, {"fish\n", 12}, {"é", 3}, {"rare", 1}};

std::string load_error(const std::string& text) {
  std::istringstream in(text);
  return message_of<Error>([&] { LabelVocabulary::load(in, "labels.jsonl"); });
}

TEST(LabelVocabulary, OrderIsCountThenBytesWhateverTheOrderGiven) {
  Counts counts = kCounts;
  std::sort(counts.begin(), counts.end());
  do {
    const LabelVocabulary labels = LabelVocabulary::from_counts(counts);
    std::vector<std::string> names;
    for (int32_t i = 0; i < 5; ++i) {
      names.emplace_back(labels.name(i));
      ASSERT_EQ(labels.index(labels.name(i)), i);
    }
    ASSERT_EQ(names, (std::vector<std::string>{"fish\n", "b", "trade \"policy\"", "é", "rare"}));
    ASSERT_EQ(labels.counts(), (std::vector<uint64_t>{12, 3, 3, 3, 1}));
  } while (std::next_permutation(counts.begin(), counts.end()));
  EXPECT_EQ(LabelVocabulary::from_counts(kCounts).index("cat"), -1);
  EXPECT_EQ(LabelVocabulary::from_counts({}).size(), 0u);
}

TEST(LabelVocabulary, SavedAndLoadedIsTheSame) {
  const LabelVocabulary labels = LabelVocabulary::from_counts(kCounts);
  std::stringstream file;
  labels.save(file);
  EXPECT_EQ(file.str().substr(0, file.str().find('\n')), R"({"label":"fish\n","count":12})");
  const LabelVocabulary loaded = LabelVocabulary::load(file, "labels.jsonl");
  ASSERT_EQ(loaded.size(), labels.size());
  for (int32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(loaded.name(i), labels.name(i));
    EXPECT_EQ(loaded.count(i), labels.count(i));
    EXPECT_EQ(loaded.index(labels.name(i)), i);
  }
}

TEST(LabelVocabulary, DisplayNames) {
  LabelVocabulary labels = LabelVocabulary::from_counts({{"http://a/fish", 3}, {"b", 2}, {"c", 1}});
  EXPECT_FALSE(labels.has_display_name(0));
  EXPECT_EQ(labels.display_name(0), "http://a/fish");
  labels.set_display_name(1, "Bee");
  std::stringstream file;
  labels.save(file);
  EXPECT_EQ(file.str(),
            "{\"label\":\"http://a/fish\",\"count\":3}\n{\"label\":\"b\",\"name\":\"Bee\",\"count\":2}\n"
            "{\"label\":\"c\",\"count\":1}\n");
  const LabelVocabulary loaded = LabelVocabulary::load(file, "labels.jsonl");
  EXPECT_FALSE(loaded.has_display_name(0));
  EXPECT_TRUE(loaded.has_display_name(1));
  EXPECT_EQ(loaded.display_name(1), "Bee");
  EXPECT_EQ(loaded.name(1), "b");
  EXPECT_EQ(loaded.index("Bee"), -1) << "labels are told apart by their name in the data alone";
  EXPECT_EQ(loaded.display_name(2), "c");
}

TEST(LabelVocabulary, LoadErrorsNameFileAndLine) {
  const std::string good = "{\"label\":\"fish\",\"count\":12}\n";
  EXPECT_EQ(load_error(good + good), "labels.jsonl:2: 'fish' is already in line 1");
  EXPECT_EQ(load_error(good + "{\"label\":\"a\",\"name\":1,\"count\":1}\n"),
            "labels.jsonl:2: \"name\" is not a string");
  EXPECT_EQ(load_error(good + "fish\n"), "labels.jsonl:2: expected a label such as {\"label\":\"fish\",\"count\":12}");
  EXPECT_EQ(load_error("\n"), "labels.jsonl:1: expected a label such as {\"label\":\"fish\",\"count\":12}");
  EXPECT_EQ(load_error("{\"count\":1}\n"), "labels.jsonl:1: \"label\" is not a string");
  EXPECT_EQ(load_error("{\"label\":\"a\",\"count\":-1}\n"), "labels.jsonl:1: \"count\" is not a count");
  EXPECT_EQ(load_error("{\"label\":\"a\"}\n"), "labels.jsonl:1: \"count\" is not a count");
}

}  // namespace
}  // namespace otseq2set
