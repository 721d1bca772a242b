#include "otseq2set/model/start_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/temp_folder.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

class StartValuesTest : public ::testing::Test {
 protected:
  StartValuesTest() {
    config_.model.word_embedding = config_.model.label_embedding = 4;
    config_.model.hidden = 20;
    network_ = fresh();
  }
  Network fresh() const {
    return Network(static_cast<int64_t>(words_.ids()), static_cast<int64_t>(labels_.size()) + kFirstLabel, config_);
  }
  StartValues start(const WordVectors* vectors, bool labels_from_words = true, uint64_t seed = 1) const {
    return {seed, words_, labels_, *tokenizer_, vectors, labels_from_words};
  }
  WordVectors vectors() const {
    const std::string text = "red 1 2 3 4\nwine -1 0 1 0.5\nfish 9 9 9 9\n";
    return WordVectors::read(folder_.write("vectors.txt", text), 4, [](std::string_view) { return true; });
  }
  torch::Tensor word(const Network& network, const std::string& text) const {
    return network->named_parameters()["encoder.embedding.weight"][words_.id(text)];
  }
  torch::Tensor label(const Network& network, const std::string& name) const {
    return network->named_parameters()["decoder.embedding.weight"][kFirstLabel + labels_.index(name)];
  }

  TempFolder folder_;
  Vocabulary words_ = Vocabulary::from_counts({{"red", 5}, {"blue", 4}, {"fish", 3}}, 100, 1);
  LabelVocabulary labels_ = LabelVocabulary::from_counts(
      {{"red_wine", 3}, {"Red wine", 2}, {"red", 2}, {"blue fish", 1}, {"blue_new", 1}, {"!!!", 1}});
  std::unique_ptr<Tokenizer> tokenizer_ = Tokenizer::make("icu");
  Config config_ = tiny_config();
  Network network_{nullptr};
};

bool all_in_range(const torch::Tensor& values, double range = 0.1) {
  return (values.abs() <= range).all().item<bool>();
}

TEST_F(StartValuesTest, EverythingIsUniformInItsRange) {
  set_start_values(network_, start(nullptr));
  for (const auto& item : network_->named_parameters()) {
    EXPECT_TRUE(all_in_range(item.value())) << item.key();
    if (item.value().numel() < 1000) continue;
    const torch::Tensor values = item.value().detach().to(torch::kFloat64);
    EXPECT_NEAR(values.mean().item<double>(), 0, 0.01) << item.key();
    EXPECT_NEAR(values.std().item<double>(), 0.1 / std::sqrt(3), 0.005) << item.key();
    EXPECT_GT(values.max().item<double>(), 0.098) << item.key();
    EXPECT_LT(values.min().item<double>(), -0.098) << item.key();
  }
}

TEST_F(StartValuesTest, PaddingAndEmptyLabelAreZero) {
  const WordVectors pretrained = vectors();
  for (const WordVectors* given : {static_cast<const WordVectors*>(nullptr), &pretrained}) {
    set_start_values(network_, start(given));
    const auto parameters = network_->named_parameters();
    EXPECT_EQ(parameters["encoder.embedding.weight"][kPaddingWord].abs().sum().item<double>(), 0);
    EXPECT_EQ(parameters["decoder.embedding.weight"][kEmptyLabel].abs().sum().item<double>(), 0);
    EXPECT_GT(parameters["encoder.embedding.weight"][kUnknownWord].abs().min().item<double>(), 0);
    EXPECT_GT(parameters["decoder.embedding.weight"][kStartLabel].abs().min().item<double>(), 0);
  }
}

TEST_F(StartValuesTest, WordsTakeTheirVectors) {
  const WordVectors pretrained = vectors();
  set_start_values(network_, start(&pretrained));
  EXPECT_TRUE(torch::equal(word(network_, "red"), torch::tensor({1.0, 2.0, 3.0, 4.0})));
  EXPECT_TRUE(torch::equal(word(network_, "fish"), torch::tensor({9.0, 9.0, 9.0, 9.0})));
  EXPECT_TRUE(all_in_range(word(network_, "blue")));
  EXPECT_GT(word(network_, "blue").abs().min().item<double>(), 0);
}

TEST_F(StartValuesTest, LabelsAreMeansOfTheirWords) {
  const WordVectors pretrained = vectors();
  set_start_values(network_, start(&pretrained));
  const torch::Tensor red_wine = torch::tensor({0.0, 1.0, 2.0, 2.25});
  EXPECT_TRUE(torch::allclose(label(network_, "red_wine"), red_wine)) << "_ separates words";
  EXPECT_TRUE(torch::allclose(label(network_, "Red wine"), red_wine)) << "a space separates words, case is folded";
  EXPECT_TRUE(torch::equal(label(network_, "red"), word(network_, "red")));
  // A word without a vector counts with its random one, which the word embedding has too.
  EXPECT_TRUE(torch::allclose(label(network_, "blue fish"), (word(network_, "blue") + word(network_, "fish")) / 2));
  // `new` is not in the vocabulary; it contributes all the same.
  const torch::Tensor unseen = 2 * label(network_, "blue_new") - word(network_, "blue");
  EXPECT_TRUE(all_in_range(unseen, 0.1 + 1e-6));
  EXPECT_GT(unseen.abs().max().item<double>(), 1e-3);
  // No words at all: random.
  EXPECT_TRUE(all_in_range(label(network_, "!!!")));
  EXPECT_GT(label(network_, "!!!").abs().min().item<double>(), 0);
}

TEST_F(StartValuesTest, LabelsTakeTheWordsOfTheirDisplayName) {
  labels_.set_display_name(labels_.index("!!!"), "Red wine");
  const WordVectors pretrained = vectors();
  set_start_values(network_, start(&pretrained));
  EXPECT_TRUE(torch::equal(label(network_, "!!!"), label(network_, "red_wine")));
}

TEST_F(StartValuesTest, LabelsCanBeRandom) {
  const WordVectors pretrained = vectors();
  set_start_values(network_, start(&pretrained, /*labels_from_words=*/false));
  EXPECT_TRUE(all_in_range(network_->named_parameters()["decoder.embedding.weight"]));
  EXPECT_FALSE(torch::equal(label(network_, "red_wine"), label(network_, "Red wine")));
}

TEST_F(StartValuesTest, DependOnTheSeedAlone) {
  Network again = fresh(), other = fresh();
  set_start_values(network_, start(nullptr));
  set_start_values(again, start(nullptr));
  set_start_values(other, start(nullptr, true, 2));
  const auto parameters = network_->named_parameters(), repeated = again->named_parameters();
  for (const auto& item : parameters) {
    EXPECT_TRUE(torch::equal(item.value(), repeated[item.key()])) << item.key();
    EXPECT_FALSE(torch::equal(item.value(), other->named_parameters()[item.key()])) << item.key();
  }
  // Two parameters of the same shape are not the same numbers.
  EXPECT_FALSE(torch::equal(parameters["encoder.rnn.weight_hh_l0"], parameters["encoder.rnn.weight_hh_l0_reverse"]));
}

}  // namespace
}  // namespace otseq2set::testing
