#include "otseq2set/text/vocabulary.h"

#include <gtest/gtest.h>

#include <sstream>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set {
namespace {

Vocabulary example() { return Vocabulary::from_counts({{"rare", 1}, {"b", 3}, {"the", 9}, {"a", 3}, {"é", 3}}, 10, 2); }

std::string load_error(const std::string& text) {
  std::istringstream in(text);
  return message_of<Error>([&] { Vocabulary::load(in, "model/words.txt"); });
}

TEST(Vocabulary, OrderIsCountThenBytes) {
  const Vocabulary vocabulary = example();
  EXPECT_EQ(vocabulary.words(), 4u);
  EXPECT_EQ(vocabulary.ids(), 6u);
  EXPECT_EQ(vocabulary.id("the"), 2);
  EXPECT_EQ(vocabulary.id("a"), 3);
  EXPECT_EQ(vocabulary.id("b"), 4);
  EXPECT_EQ(vocabulary.id("é"), 5);
  EXPECT_EQ(vocabulary.id("rare"), kUnknownWord);
  EXPECT_EQ(vocabulary.id(""), kUnknownWord);
  EXPECT_EQ(vocabulary.id("<padding>"), kUnknownWord);
}

TEST(Vocabulary, WordIsTheInverseOfId) {
  const Vocabulary vocabulary = example();
  for (int32_t id = kFirstWord; id < 6; ++id) EXPECT_EQ(vocabulary.id(vocabulary.word(id)), id);
  EXPECT_EQ(vocabulary.word(kPaddingWord), "<padding>");
  EXPECT_EQ(vocabulary.word(kUnknownWord), "<unknown>");
}

TEST(Vocabulary, CapKeepsTheMostFrequent) {
  const Vocabulary vocabulary = Vocabulary::from_counts({{"c", 1}, {"b", 1}, {"a", 5}}, 2, 1);
  EXPECT_EQ(vocabulary.words(), 2u);
  EXPECT_EQ(vocabulary.id("a"), 2);
  EXPECT_EQ(vocabulary.id("b"), 3);
  EXPECT_EQ(vocabulary.id("c"), kUnknownWord);
  EXPECT_EQ(Vocabulary::from_counts({{"a", 1}}, 0, 1).ids(), 2u);
}

TEST(Vocabulary, SavedAndLoadedIsTheSame) {
  std::ostringstream out;
  example().save(out);
  EXPECT_EQ(out.str(), "the\na\nb\né\n");
  for (const std::string& text : {out.str(), std::string("the\r\na\r\nb\r\né")}) {
    std::istringstream in(text);
    const Vocabulary loaded = Vocabulary::load(in, "words.txt");
    EXPECT_EQ(loaded.words(), 4u);
    EXPECT_EQ(loaded.id("é"), 5);
  }
}

TEST(Vocabulary, LoadErrorsNameFileAndLine) {
  EXPECT_EQ(load_error("the\nfish\nthe\n"), "model/words.txt:3: 'the' is already in line 1");
  EXPECT_EQ(load_error("the\n\nfish\n"), "model/words.txt:2: expected a word, but the line is empty");
  EXPECT_EQ(load_error("the\nof\r\r\n"), "model/words.txt:2: a word ends with a carriage return");
  EXPECT_EQ(load_error("the\n\r\n"), "model/words.txt:2: expected a word, but the line is empty");
}

}  // namespace
}  // namespace otseq2set
