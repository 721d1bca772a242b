#include "otseq2set/linear/label_mentions.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace otseq2set::testing {
namespace {

class LabelMentionsTest : public ::testing::Test {
 protected:
  // The labels are the names, in this order; texts are read with the words of `known`.
  void make(const std::vector<std::string>& names, const std::string& known) {
    std::vector<std::pair<std::string, uint64_t>> counts;
    for (size_t i = 0; i < names.size(); ++i) counts.emplace_back(names[i], 100 - i);
    labels_ = LabelVocabulary::from_counts(counts);
    std::vector<Token> tokens;
    tokenizer_->tokenize(known, tokens);
    std::map<std::string, uint64_t> words;
    for (const Token& token : tokens) ++words[token.text];
    words_ = Vocabulary::from_counts({words.begin(), words.end()}, SIZE_MAX, 1);
    Dataset data;
    std::vector<int32_t> all;
    for (const Token& token : tokens) all.push_back(words_.id(token.text));
    data.add("d", all, std::vector<int32_t>{});
    const NgramFeatures features = NgramFeatures::from_documents(data, words_.ids(), 0);
    mentions_ = std::make_unique<LabelMentions>(labels_, words_, *tokenizer_, features);
  }

  std::map<std::string, Mention> find(const std::string& text) const {
    std::vector<Token> tokens;
    tokenizer_->tokenize(text, tokens);
    std::vector<int32_t> words;
    for (const Token& token : tokens) words.push_back(words_.id(token.text));
    std::map<std::string, Mention> found;
    int32_t last = -1;
    for (const Mention& mention : mentions_->find(words)) {
      EXPECT_GT(mention.label, last);
      last = mention.label;
      found.emplace(labels_.name(mention.label), mention);
    }
    return found;
  }

  std::unique_ptr<Tokenizer> tokenizer_ = Tokenizer::make("icu");
  LabelVocabulary labels_ = LabelVocabulary::from_counts({});
  Vocabulary words_ = Vocabulary::from_counts({}, 0, 1);
  std::unique_ptr<LabelMentions> mentions_;
};

TEST_F(LabelMentionsTest, WholeNamesPartsAndPhrases) {
  const std::string text = "quotas for the fishing industry in the steel sector; the industry and the fish";
  make({"fishing industry", "steel industry", "textile", "steel"}, text + " textile");
  const auto found = find(text);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found.at("fishing industry").phrase);
  EXPECT_EQ(found.at("fishing industry").count, 1u);  // "industry" stands there twice, "fishing" once
  EXPECT_FLOAT_EQ(found.at("fishing industry").share, 1);
  EXPECT_FALSE(found.at("steel industry").phrase);
  EXPECT_EQ(found.at("steel industry").count, 1u);
  EXPECT_TRUE(found.at("steel").phrase);
  const auto part = find("the industry of the north");
  EXPECT_EQ(part.at("steel industry").count, 0u);
  EXPECT_FALSE(part.at("steel industry").phrase);
  EXPECT_GT(part.at("steel industry").share, 0);
  EXPECT_LT(part.at("steel industry").share, 1);
}

TEST_F(LabelMentionsTest, EndingsDoNotMatter) {
  const std::string text = "Fischereirechte und Häfen an der Küste; statistical methods";
  make({"Fischereirecht", "Hafen", "Küsten", "statistics"}, text);
  const auto found = find(text);
  EXPECT_EQ(found.count("Fischereirecht"), 1u);
  EXPECT_EQ(found.count("Hafen"), 0u);  // another letter within the first four
  EXPECT_EQ(found.count("Küsten"), 1u);
  EXPECT_EQ(found.count("statistics"), 1u);
}

TEST_F(LabelMentionsTest, ShortWordsOfANameSayNothing) {
  const std::string text = "in the law of the sea; EU 28";
  make({"law of the sea", "EU 28", "in"}, text);
  const auto found = find("the sea and its law of old");
  EXPECT_EQ(found.at("law of the sea").count, 1u);
  EXPECT_FLOAT_EQ(found.at("law of the sea").share, 1);
  EXPECT_EQ(find(text).count("in"), 0u);
  EXPECT_EQ(find("28 states").at("EU 28").count, 1u);
}

TEST_F(LabelMentionsTest, UrisAndUnknownWordsAreFoundNowhere) {
  make({"http://example.org/fish", "zebra"}, "http example org fish");
  EXPECT_TRUE(find("http example org fish zebra").empty());
  EXPECT_TRUE(find("").empty());
}

}  // namespace
}  // namespace otseq2set::testing
