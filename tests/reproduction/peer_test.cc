#include "otseq2set/reproduction/peer.h"

#include <gtest/gtest.h>

#include "otseq2set/core/error.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

class PeerTest : public ::testing::Test {
 protected:
  PeerTest() {
    add("d1", {0, 1});
    add("d2", {2});
  }
  void add(const std::string& id, const std::vector<int32_t>& labels) {
    data_.add(id, std::vector<int32_t>{2, 3}, labels);
  }
  Rankings read(const std::string& text, const std::string& names = "") {
    return read_rankings(folder_.write("predictions", text), labels_, names, data_);
  }
  std::string error(const std::string& text) {
    return message_of<Error>([&] { read(text); });
  }

  TempFolder folder_;
  LabelVocabulary labels_ = LabelVocabulary::from_counts({{"fish", 9}, {"trade", 5}, {"wine", 2}});
  Dataset data_{SIZE_MAX, 3};
};

std::string shown(const Rankings& rankings) {
  std::string text;
  for (const auto& ranking : rankings) {
    for (const ScoredLabel& label : ranking) text += fmt::format("{}:{} ", label.label, label.score);
    text += "| ";
  }
  return text;
}

TEST_F(PeerTest, TheFormatsSayTheSame) {
  const std::string expected = "1:0.75 0:0.5 | 2:0.25 | ";
  EXPECT_EQ(shown(read("__label__fish 0.5 __label__trade 0.75\n__label__wine 0.25\n")), expected);
  EXPECT_EQ(shown(read("trade 0.75 fish 0.5\nwine 0.25\n")), expected);
  const std::string names = folder_.write("names", "wine\nfish\ntrade\n");
  EXPECT_EQ(shown(read("2 3\n1:0.5 2:0.75\n0:0.25\n", names)), expected);
  EXPECT_EQ(shown(read(R"({"id":"d2","labels":[{"label":"wine","score":0.25}]})"
                       "\n"
                       R"({"id":"d1","labels":[{"label":"trade","score":0.75},{"label":"fish","score":0.5}]})"
                       "\n")),
            expected)
      << "by id, in any order";
}

TEST_F(PeerTest, IdsMayBeNumbers) {
  add("17", {0});
  EXPECT_EQ(shown(read(R"({"id":17,"labels":[{"label":"fish","score":1}]})"
                       "\n"
                       R"({"id":"d1","labels":[]})"
                       "\n"
                       R"({"id":"d2","labels":[]})"
                       "\n")),
            "| | 0:1 | ");
}

TEST_F(PeerTest, AnUnknownLabelIsAMistakeOfItsOwn) {
  EXPECT_EQ(shown(read("boat 0.5 fish 0.25\nboat 0.5\n")), "3:0.5 0:0.25 | 3:0.5 | ");
}

TEST_F(PeerTest, WhatDoesNotFitIsNamed) {
  EXPECT_NE(error("fish 0.5\n").find("1 predictions for 2 documents"), std::string::npos);
  EXPECT_NE(error("fish 0.5\nwine\n").find("predictions:2"), std::string::npos);
  EXPECT_NE(error("fish much\nwine 1\n").find("'much' is not a score"), std::string::npos);
  EXPECT_NE(error("2 3\n1:0.5\nx\n").find("predictions:3"), std::string::npos);
  EXPECT_NE(error("{\"id\":\"d9\",\"labels\":[]}\n").find("d9"), std::string::npos);
  EXPECT_NE(error("{\"id\":\"d1\",\"labels\":[]}\n").find("no prediction for the document d2"), std::string::npos);
  EXPECT_NE(error("{\"id\":\"d1\",\"labels\":[{\"label\":3}]}\n").find("predictions:1"), std::string::npos);
  EXPECT_NE(error("fish 0.5 wine 0.2 fish 0.1\nwine 1\n").find("predictions:1: a label is given twice"),
            std::string::npos);
  EXPECT_NE(error("{\"id\":\"d1\",\"labels\":[]}\n{\"id\":\"d1\",\"labels\":[]}\n")
                .find("predictions:2: the id \"d1\" occurs twice"),
            std::string::npos);
  EXPECT_NE(error("fish nan\nwine 1\n").find("'nan' is not a score"), std::string::npos);
  EXPECT_NE(error("2 3\n1:0.5\n0:1\n")
                .find("none of its labels is a label of the training data; "
                      "--prediction-labels"),
            std::string::npos);
  EXPECT_EQ(shown(read("fish 1e-50\nwine 1\n")), "0:0 | 2:1 | ");
}

Corpus three_labels() {
  Corpus corpus;
  corpus.labels = LabelVocabulary::from_counts({{"fish", 9}, {"trade", 5}, {"wine", 2}});
  return corpus;
}

// d1 is {fish, trade}, d2 is {wine}. Scores that a threshold of about 0.4 cuts right; no fixed k does.
TEST_F(PeerTest, BestKAndBestThreshold) {
  const Rankings rankings = {{{0, 0.9F}, {1, 0.5F}, {2, 0.3F}}, {{2, 0.8F}, {1, 0.2F}, {0, 0.1F}}};
  const RunResult run = measure_peer({data_, rankings}, RankedDocuments{data_, rankings}, three_labels(), {});
  ASSERT_EQ(run.sets.size(), 2u);
  EXPECT_EQ(run.sets[0].name, "best k");
  EXPECT_EQ(run.sets[0].rule, "the 2 best");
  EXPECT_NEAR(run.sets[0].micro_f1, 6.0 / 7, 1e-12);
  EXPECT_EQ(run.sets[1].name, "best threshold");
  EXPECT_EQ(run.sets[1].micro_f1, 1);
  EXPECT_EQ(run.at[0].precision, 1);
  EXPECT_NE(measure_peer({data_, rankings}, std::nullopt, three_labels(), {}).sets[0].rule.find("on the test"),
            std::string::npos);
}

TEST_F(PeerTest, ChosenOnValidationDocumentsNotOnTest) {
  const Rankings on_valid = {{{0, 0.9F}, {1, 0.8F}}, {{2, 0.85F}}};
  const Rankings on_test = {{{0, 0.7F}, {1, 0.6F}}, {{2, 0.85F}}};
  const RunResult run = measure_peer({data_, on_test}, RankedDocuments{data_, on_valid}, three_labels(), {});
  EXPECT_NEAR(run.sets[1].micro_r, 1, 1e-12) << "everything reaches half of the lowest validation score";
  const Rankings strict = {{{0, 0.9F}, {2, 0.8F}}, {{0, 0.8F}}};
  const RunResult other = measure_peer({data_, on_test}, RankedDocuments{data_, strict}, three_labels(), {});
  EXPECT_LT(other.sets[1].micro_r, 1);
}

// Logarithms of probabilities: the same order, all below zero.
TEST_F(PeerTest, ScoresMayBeNegative) {
  const Rankings rankings = {{{0, -0.1F}, {1, -0.7F}, {2, -1.2F}}, {{2, -0.2F}, {1, -1.6F}, {0, -2.3F}}};
  const RunResult run = measure_peer({data_, rankings}, RankedDocuments{data_, rankings}, three_labels(), {});
  EXPECT_EQ(run.sets[1].micro_f1, 1) << run.sets[1].rule;
  EXPECT_TRUE(run.calibration.empty()) << "they are no probabilities";
}

TEST_F(PeerTest, PropensitiesAreThoseOfTheConfiguration) {
  const Rankings rankings(62, {{0, 0.9F}});
  Corpus corpus = three_labels();
  for (int i = 0; i < 60; ++i) add(std::to_string(i), {0});
  corpus.train = data_;
  EvaluationConfig amazon;
  amazon.propensity_a = 0.6;
  amazon.propensity_b = 2.6;
  EXPECT_NE(measure_peer({data_, rankings}, std::nullopt, corpus, {}).at[0].psp,
            measure_peer({data_, rankings}, std::nullopt, corpus, amazon).at[0].psp);
}

}  // namespace
}  // namespace otseq2set::testing
