#include "otseq2set/text/label_words.h"

#include <gtest/gtest.h>

namespace otseq2set::testing {
namespace {

TEST(LabelWords, UnderscoresAndSpacesSeparate) {
  const auto tokenizer = Tokenizer::make("icu");
  using Words = std::vector<std::string>;
  EXPECT_EQ(label_words("made_of_Fish", *tokenizer), (Words{"made", "of", "fish"}));
  EXPECT_EQ(label_words("made of  fish", *tokenizer), (Words{"made", "of", "fish"}));
  EXPECT_EQ(label_words("_", *tokenizer), Words{});
  EXPECT_EQ(label_words("https://example.org/subject/4004927-9", *tokenizer), Words{});
  EXPECT_EQ(label_words("urn:subject:4004927-9", *tokenizer), Words{});
  EXPECT_EQ(label_words("made_of", *Tokenizer::make("whitespace")), (Words{"made", "of"}));
}

}  // namespace
}  // namespace otseq2set::testing
