#include "otseq2set/inference/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "otseq2set/inference/predictor.h"
#include "otseq2set/model/weights.h"
#include "otseq2set/text/code_points.h"
#include "support/temp_folder.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

constexpr size_t kMaxWords = 20;  // of tiny_config

// The model of the tiny network; some of its words need care with places.
class Model {
 public:
  explicit Model(const std::string& variant = "otseq2set") : config_(tiny_config(variant)) {
    ModelDescription description;
    std::vector<std::pair<std::string, uint64_t>> words, labels;
    const std::vector<std::string> own = {"café", "中国", "经济", "fish"};
    for (int i = 0; i < kTinyWords - kFirstWord; ++i) {
      const bool named = static_cast<size_t>(i) < own.size();
      words.emplace_back(named ? own[i] : "word" + std::to_string(i), 100 - i);
    }
    for (int i = 0; i < 7; ++i) labels.emplace_back("label " + std::to_string(i), 100 - i);
    description.words = Vocabulary::from_counts(words, 1000, 1);
    description.labels = LabelVocabulary::from_counts(labels);
    description.config = config_;
    save_description(folder_, description);
    save_weights(folder_.weights(), *network());
    predictor_ = std::make_unique<Predictor>(folder_);
  }

  Network network(torch::Dtype dtype = torch::kFloat32) const { return tiny_network(config_, 1, dtype); }
  const Config& config() const { return config_; }
  const Predictor& predictor() const { return *predictor_; }

  Explanation explain(std::string_view text, const ExplainOptions& options = {100, false},
                      const AnswerRule& rule = {7, {}}) const {
    return std::move(otseq2set::explain(*predictor_, {text}, {rule}, options).at(0));
  }

 private:
  Config config_;
  TempFolder temp_;
  const ModelFolder folder_{temp_.path("")};
  std::unique_ptr<Predictor> predictor_;
};

double sum_of_weights(const ExplainedLabel& label) {
  return std::accumulate(label.words.begin(), label.words.end(), 0.0,
                         [](double sum, const WordWeight& word) { return sum + word.weight; });
}

// The words of the text that an explanation with all words points at, in the order of the text.
std::vector<std::string> words_of(std::string_view text, ExplainedLabel label) {
  std::sort(label.words.begin(), label.words.end(),
            [](const WordWeight& a, const WordWeight& b) { return a.begin < b.begin; });
  std::vector<std::string> words;
  for (const WordWeight& word : label.words) words.emplace_back(text.substr(word.begin, word.end - word.begin));
  return words;
}

std::string text_of(const std::vector<int32_t>& words) {
  std::string text;
  for (int32_t word : words) text += "word" + std::to_string(word - kFirstWord) + " ";
  return text;
}

// Documents of ordinary words, so that a text can be made of each.
Documents documents_of_words(size_t count, size_t longest) {
  Documents documents = random_documents(count, longest, 4);
  for (auto& words : documents) {
    for (int32_t& word : words) word = std::max(word, kFirstWord + 4);
  }
  return documents;
}

// For every label the weights of its best step, computed with autograd's decoder in float64.
class ExplanationOfVariant : public ::testing::TestWithParam<const char*> {};

TEST_P(ExplanationOfVariant, WeightsAreThoseOfThePlainDecoder) {
  const Model model(GetParam());
  Network network = model.network(torch::kFloat64);
  const Variant variant = variant_of(model.config());
  const Documents documents = documents_of_words(70, kMaxWords);  // more than are decoded together
  std::vector<std::string> texts;
  for (const auto& words : documents) texts.push_back(text_of(words));
  const std::vector<AnswerRule> rules(texts.size(), {7, {}});
  const auto explanations = explain(model.predictor(), {texts.begin(), texts.end()}, rules, {kMaxWords, false});
  size_t compared = 0;
  for (size_t i = 0; i < documents.size(); i += 3) {
    const Batch batch =
        make_batch(spans({documents[i]}), receptive_field(model.config().model.light_conv), torch::kCPU);
    const Decoded plain = network->decode(batch, model.config().model.steps, Dropout());  // gradients: not fused
    const torch::Tensor probabilities = plain.logits.detach()[0].softmax(1);              // [steps, ids]
    int64_t steps = 0;
    for (bool ended = false; steps < probabilities.size(0) && !ended; ++steps) {
      ended = variant.sequence && plain.labels[0][steps].item<int64_t>() == kEndLabel;
    }
    for (const ExplainedLabel& label : explanations[i].labels) {
      const torch::Tensor of_label = probabilities.select(1, label.label.label + kFirstLabel).narrow(0, 0, steps);
      const torch::Tensor highest = std::get<0>(of_label.sort(0, true));
      if (steps > 1 && (highest[0] - highest[1]).item<double>() < 1e-4) continue;  // float may choose the other
      const torch::Tensor look = plain.word_weights[0][of_label.argmax().item<int64_t>()];
      const torch::Tensor own = look.narrow(0, 0, static_cast<int64_t>(documents[i].size()));
      const torch::Tensor expected = own / own.sum();
      ASSERT_EQ(label.words.size(), documents[i].size());
      std::vector<WordWeight> words = label.words;
      std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
      for (size_t w = 0; w < words.size(); ++w) {
        EXPECT_NEAR(words[w].weight, expected[static_cast<int64_t>(w)].item<double>(), 1e-4);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500u);
}

// The last two have no fused decoder, or end early.
INSTANTIATE_TEST_SUITE_P(Variants, ExplanationOfVariant, ::testing::Values("otseq2set", "bm", "seq2seq_lc", "sgm"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Explanation, WeightsOfTheDocumentsWordsSumToOne) {
  const Model model;
  for (const std::string text : {"fish", "fish word7", "word5 word6 word7 word8 word9 word5 fish"}) {
    for (const ExplainedLabel& label : model.explain(text).labels) {
      EXPECT_NEAR(sum_of_weights(label), 1, 1e-5) << text;
      EXPECT_TRUE(std::is_sorted(label.words.begin(), label.words.end(),
                                 [](const auto& a, const auto& b) { return a.weight > b.weight; }));
    }
  }
}

// Shorter than the receptive field: padding words fill it up, and are not part of the text.
TEST(Explanation, PaddingHasNoPlace) {
  const Model model;
  ASSERT_EQ(receptive_field(model.config().model.light_conv), 4);
  const Explanation one = model.explain("fish");
  EXPECT_EQ(one.words_read, 1u);
  ASSERT_EQ(one.labels.size(), 7u);
  for (const ExplainedLabel& label : one.labels) {
    ASSERT_EQ(label.words.size(), 1u);
    EXPECT_EQ(label.words[0].weight, 1);
  }
}

TEST(Explanation, TextWithoutWordsHasNoReasons) {
  const Model model;
  for (const char* text : {"", " ... "}) {
    const Explanation none = model.explain(text, {10, true});
    EXPECT_EQ(none.words_read, 0u);
    EXPECT_EQ(none.labels.size(), 7u);
    for (const ExplainedLabel& label : none.labels) EXPECT_TRUE(label.words.empty());
  }
}

TEST(Explanation, PlacesAreThoseOfTheRawText) {
  const Model model;
  // Combining mark, emoji of several code points, words without spaces, capitals, unknown words.
  const std::string text = "«CAFE\u0301» \U0001F469\u200D\U0001F52C FISH—中国经济 ﬁsh, Ünknown";
  const Explanation explanation = model.explain(text);
  const std::vector<std::string> expected = {"CAFE\u0301", "FISH", "中国", "经济", "ﬁsh", "Ünknown"};
  ASSERT_EQ(explanation.labels.size(), 7u);
  for (const ExplainedLabel& label : explanation.labels) EXPECT_EQ(words_of(text, label), expected);
  const CodePoints place(text);
  EXPECT_EQ(place(text.find("FISH")), 12u);
  EXPECT_EQ(place(text.find("经济")), 19u);
}

TEST(Explanation, BytesThatAreNotUtf8DoNoHarm) {
  const Model model;
  const std::string text = "fish \xff\xfe word5 \xe4\xb8 fish";
  for (const ExplainedLabel& label : model.explain(text, {10, true}).labels) {
    const std::vector<std::string> words = words_of(text, label);
    EXPECT_EQ(words.front(), "fish");
    EXPECT_EQ(words.back(), "fish");
  }
}

TEST(Explanation, WordsBehindTheCutHaveNoPlace) {
  const Model model;
  std::string text;
  for (int i = 0; i < 25; ++i) text += (i == 20 ? "Fish " : "word9 ");
  const Explanation cut = model.explain(text);
  EXPECT_EQ(cut.words_read, kMaxWords);
  ASSERT_TRUE(cut.cut.has_value());
  EXPECT_EQ(*cut.cut, text.find("Fish"));
  for (const ExplainedLabel& label : cut.labels) {
    EXPECT_EQ(label.words.size(), kMaxWords);
    EXPECT_NEAR(sum_of_weights(label), 1, 1e-5);
    for (const WordWeight& word : label.words) EXPECT_LE(word.end, *cut.cut);
  }
  EXPECT_FALSE(model.explain(text.substr(0, *cut.cut)).cut.has_value());
}

TEST(Explanation, LabelsAreThoseOfThePrediction) {
  const Model model;
  const std::string text = "word5 fish word11 word8 word20 word9";
  const std::vector<int32_t> words = model.predictor().read(text);
  for (const AnswerRule& rule : {AnswerRule{}, AnswerRule{3, {}}, AnswerRule{{}, 0.3}}) {
    const Answer answer = model.predictor().predict({words}, rule).at(0);
    const Explanation explanation = model.explain(text, {2, false}, rule);
    ASSERT_EQ(explanation.labels.size(), answer.size());
    for (size_t i = 0; i < answer.size(); ++i) {
      EXPECT_EQ(explanation.labels[i].label.label, answer[i].label);
      EXPECT_EQ(explanation.labels[i].label.score, answer[i].score);
      EXPECT_EQ(explanation.labels[i].words.size(), 2u);
      EXPECT_FALSE(explanation.labels[i].words[0].fall.has_value());
    }
  }
}

// Taking a word out by hand, at all its places and in all its spellings, gives the same fall.
TEST(Explanation, FallIsTheScoreLessTheScoreWithoutTheWord) {
  const Model model;
  const std::string text = "word5 Fish word11 FISH word8 fish";
  const std::vector<std::pair<std::string, std::string>> without = {{"fish", "word5 word11 word8"},
                                                                    {"word5", "Fish word11 FISH word8 fish"}};
  std::vector<int32_t> all(7);
  std::iota(all.begin(), all.end(), 0);
  const Explanation explanation = model.explain(text, {100, true});
  ASSERT_EQ(explanation.labels.size(), 7u);
  for (const auto& [left_out, rest] : without) {
    const std::vector<int32_t> words = model.predictor().read(rest);
    const std::vector<float> scores = model.predictor().scores({words}, {all}).at(0);
    for (const ExplainedLabel& label : explanation.labels) {
      size_t places = 0;
      for (const WordWeight& word : label.words) {
        const std::string raw = text.substr(word.begin, word.end - word.begin);
        ASSERT_TRUE(word.fall.has_value());
        if (raw != left_out && !(left_out == "fish" && word.end - word.begin == 4)) continue;
        EXPECT_NEAR(*word.fall, label.label.score - scores[label.label.label], 1e-5) << raw;
        ++places;
      }
      EXPECT_EQ(places, left_out == "fish" ? 3u : 1u);
    }
  }
}

TEST(Explanation, LabelsBehindTheBestHaveNoWords) {
  const Model model;
  const Explanation explanation = model.explain("fish word5", {10, true, 3});
  ASSERT_EQ(explanation.labels.size(), 7u);
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(explanation.labels[i].words.size(), i < 3 ? 2u : 0u);
}

TEST(Explanation, OnlyWordOfADocumentCanBeLeftOut) {
  const Model model;
  for (const ExplainedLabel& label : model.explain("fish", {5, true}).labels) {
    ASSERT_EQ(label.words.size(), 1u);
    EXPECT_TRUE(label.words[0].fall.has_value());
  }
}

}  // namespace
}  // namespace otseq2set::testing
