#include "otseq2set/inference/predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/model/weights.h"
#include "support/temp_folder.h"
#include "support/torch_engine.h"
#include "support/torch_tiny_network.h"

namespace otseq2set::testing {
namespace {

void save_model(const ModelFolder& folder, const Config& config, Network& network) {
  ModelDescription description;
  std::vector<std::pair<std::string, uint64_t>> words, labels;
  for (int i = 0; i < kTinyWords - kFirstWord; ++i) words.emplace_back("word" + std::to_string(i), 100 - i);
  const int64_t count = config.model.labels;
  for (int64_t i = 0; i < count; ++i) labels.emplace_back("label " + std::to_string(i), 2 * count - i);
  description.words = Vocabulary::from_counts(words, 1000, 1);
  description.labels = LabelVocabulary::from_counts(labels);
  description.config = config;
  save_description(folder, description);
  save_weights(folder.weights(), *network);
}

class PredictorTest : public ::testing::Test {
 protected:
  PredictorTest() {
    save_model(folder_, tiny_config(), network_);
    predictor_ = std::make_unique<Predictor>(folder_);
    RandomStream(1, "order").shuffle(documents_);
  }
  std::vector<Answer> predict(const AnswerRule& rule) const { return predictor_->predict(spans(documents_), rule); }

  PlainAnswer expected(const std::vector<int32_t>& words) { return plain_answer(network_, words, tiny_config()); }

  TempFolder temp_;
  const ModelFolder folder_{temp_.path("")};
  Network network_ = tiny_network(tiny_config());
  std::unique_ptr<Predictor> predictor_;
  Documents documents_ = random_documents(37, 19, 4);
};

std::vector<int32_t> labels_of(const Answer& answer) {
  std::vector<int32_t> labels;
  for (const ScoredLabel& label : answer) labels.push_back(label.label);
  return labels;
}

void expect_sorted(const Answer& answer) {
  for (size_t i = 1; i < answer.size(); ++i) {
    const ScoredLabel &above = answer[i - 1], &label = answer[i];
    EXPECT_TRUE(above.score > label.score || (above.score == label.score && above.label < label.label));
  }
}

TEST_F(PredictorTest, GreedySetWithItsScores) {
  const std::vector<Answer> answers = predict({});
  ASSERT_EQ(answers.size(), documents_.size());
  size_t labels = 0;
  for (size_t i = 0; i < documents_.size(); ++i) {
    auto [set, scores] = expected(documents_[i]);
    std::vector<int32_t> found = labels_of(answers[i]);
    expect_sorted(answers[i]);
    std::sort(found.begin(), found.end());
    std::sort(set.begin(), set.end());
    EXPECT_EQ(found, set) << i;
    for (const ScoredLabel& label : answers[i]) {
      EXPECT_NEAR(label.score, scores[label.label], 1e-5);
    }
    labels += set.size();
  }
  EXPECT_GT(labels, documents_.size() / 2) << "a test of empty sets means nothing";
}

TEST_F(PredictorTest, TopKRanksAllLabels) {
  const std::vector<Answer> all = predict({100, {}});
  for (size_t i = 0; i < documents_.size(); ++i) {
    EXPECT_EQ(all[i].size(), 7u);
    expect_sorted(all[i]);
    const std::vector<double> scores = expected(documents_[i]).scores;
    for (const ScoredLabel& label : all[i]) {
      EXPECT_NEAR(label.score, scores[label.label], 1e-5);
    }
  }
  const std::vector<Answer> three = predict({3, {}});
  for (size_t i = 0; i < documents_.size(); ++i) {
    const std::vector<int32_t> ranking = labels_of(all[i]);
    EXPECT_EQ(labels_of(three[i]), std::vector<int32_t>(ranking.begin(), ranking.begin() + 3));
  }
}

TEST_F(PredictorTest, ThresholdTakesAllThatReachIt) {
  const std::vector<Answer> all = predict({100, {}});
  const double at = all[3][2].score;  // reached by equality too
  for (const double threshold : {0.0, at, 0.5, 1.0}) {
    const std::vector<Answer> reached = predict({{}, threshold}), two = predict({2, threshold});
    for (size_t i = 0; i < documents_.size(); ++i) {
      std::vector<int32_t> ranking;
      for (const ScoredLabel& label : all[i]) {
        if (label.score >= static_cast<float>(threshold)) ranking.push_back(label.label);
      }
      EXPECT_EQ(labels_of(reached[i]), ranking);
      if (ranking.size() > 2) ranking.resize(2);
      EXPECT_EQ(labels_of(two[i]), ranking);
    }
  }
}

// 0.9f is a little less than 0.9; who sees 0.9 printed and asks for it must get it.
TEST_F(PredictorTest, ThresholdIsComparedInThePrecisionOfTheScores) {
  for (const Answer& answer : predict({100, {}})) {
    for (const ScoredLabel& label : answer) {
      const double printed = std::stod(fmt::format("{}", label.score));
      EXPECT_EQ(static_cast<float>(printed), label.score);
    }
  }
  const std::vector<Answer> all = predict({100, {}});
  for (size_t i = 0; i < 10; ++i) {
    const double printed = std::stod(fmt::format("{}", all[i][1].score));
    EXPECT_GE(predict({{}, printed})[i].size(), 2u) << printed;
  }
}

TEST_F(PredictorTest, ScoredDocumentsHoldTheSameAnswers) {
  const std::vector<Answer> greedy = predict({}), ranked = predict({5, {}}), reached = predict({{}, 0.3});
  const auto few = predictor_->score(spans(documents_), 5, 2), all = predictor_->score(spans(documents_), 0, 0.2);
  ASSERT_EQ(few.size(), documents_.size());
  for (size_t i = 0; i < documents_.size(); ++i) {
    EXPECT_EQ(labels_of({few[i].best}), labels_of(ranked[i]));
    EXPECT_EQ(few[i].set({}), labels_of(greedy[i]));
    EXPECT_EQ(all[i].set({SetRule::Kind::kThreshold, 0.3F}), labels_of(reached[i]));
    for (const ScoredLabel& label : all[i].best) EXPECT_GE(label.score, 0.2F);
  }
  EXPECT_EQ(predictor_->score(spans(documents_), 100, 2)[0].best.size(), 7u);
}

TEST_F(PredictorTest, TheModelsOwnRuleUnlessToldOtherwise) {
  const std::vector<Answer> greedy = predict({}), reached = predict({{}, 0.3});
  save_set_rule(folder_, {{SetRule::Kind::kThreshold, 0.3F}, "micro-F1", 0.5, 0.4, 10});
  const Predictor by_threshold(folder_);
  save_set_rule(folder_, {{SetRule::Kind::kGreedyThreshold, 0.7F}, "micro-F1", 0.5, 0.4, 10});
  const Predictor within(folder_);
  const auto tuned = by_threshold.predict(spans(documents_), AnswerRule{});
  const auto forced = by_threshold.predict(spans(documents_), {{}, {}, /*greedy=*/true});
  const auto cut = within.predict(spans(documents_), AnswerRule{});
  size_t fewer = 0;
  for (size_t i = 0; i < documents_.size(); ++i) {
    EXPECT_EQ(labels_of(tuned[i]), labels_of(reached[i]));
    EXPECT_EQ(labels_of(forced[i]), labels_of(greedy[i]));
    std::vector<int32_t> expected_cut;
    for (const ScoredLabel& label : greedy[i]) {
      if (label.score >= 0.7F) expected_cut.push_back(label.label);
    }
    EXPECT_EQ(labels_of(cut[i]), expected_cut);
    EXPECT_EQ(within.score(spans({documents_[i]}), 0, 0.7F)[0].set(within.set_rule()), expected_cut);
    fewer += expected_cut.size() < greedy[i].size();
  }
  EXPECT_GT(fewer, 0u) << "a threshold that cuts nothing tests nothing";
}

TEST_F(PredictorTest, BeamSearchIsForSequenceModels) {
  const std::string message = message_of<UsageError>([&] { Predictor(folder_, 3); });
  EXPECT_NE(message.find("sequence models"), std::string::npos) << message;
}

TEST_F(PredictorTest, NoDocuments) { EXPECT_TRUE(predictor_->predict({}, AnswerRule{}).empty()); }

TEST_F(PredictorTest, ReadsTextAsWordIds) {
  EXPECT_EQ(predictor_->read("Word3, word0 unheard!"),
            (std::vector<int32_t>{kFirstWord + 3, kFirstWord, kUnknownWord}));
  EXPECT_TRUE(predictor_->read(" ... ").empty());
  std::string many;
  for (int i = 0; i < 50; ++i) many += "word1 ";
  EXPECT_EQ(predictor_->read(many).size(), 20u) << "cut to model.max_words";
}

// Loaded once, asked by several threads at the same time.
TEST_F(PredictorTest, SeveralCallersGetTheSameAnswers) {
  const std::vector<Answer> expected_answers = predict({7, {}});
  std::vector<std::vector<Answer>> answers(4);
  std::vector<std::thread> callers;
  for (auto& own : answers) callers.emplace_back([&] { own = predict({7, {}}); });
  for (std::thread& caller : callers) caller.join();
  for (const auto& own : answers) {
    ASSERT_EQ(own.size(), expected_answers.size());
    for (size_t i = 0; i < own.size(); ++i) {
      ASSERT_EQ(labels_of(own[i]), labels_of(expected_answers[i]));
      for (size_t j = 0; j < 7; ++j) EXPECT_EQ(own[i][j].score, expected_answers[i][j].score);
    }
  }
}

// So many that only the best are computed, unless all are asked for.
TEST(PredictorOfManyLabels, AnswersAsFromAllScores) {
  Config config = tiny_config();
  config.model.labels = 33000;
  Network network = tiny_network(config, 1, torch::kFloat32, 3);
  const TempFolder temp;
  const ModelFolder folder(temp.path(""));
  save_model(folder, config, network);
  const Documents documents = random_documents(9, 19, 4);
  const Predictor predictor(folder);
  const auto scores = predictor.scores(spans(documents));
  const auto ranked = predictor.predict(spans(documents), {20, {}});
  const auto reached = predictor.predict(spans(documents), {{}, 0.01});
  const auto greedy = predictor.predict(spans(documents), {{}, {}, /*greedy=*/true});
  const auto scored = predictor.score(spans(documents), 5, 0.01F);
  for (size_t i = 0; i < documents.size(); ++i) {
    const AllScores all(scores[i]);
    const auto same = [](const Answer& a, const Answer& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ScoredLabel& one, const ScoredLabel& other) {
        return one.label == other.label && one.score == other.score;
      });
    };
    EXPECT_TRUE(same(ranked[i], all.best(20, 2)));
    EXPECT_TRUE(same(reached[i], all.best(0, 0.01F)));
    EXPECT_TRUE(same(scored[i].best, all.best(5, 0.01F)));
    EXPECT_FALSE(greedy[i].empty());
    EXPECT_TRUE(same(scored[i].greedy, greedy[i]));
    for (const ScoredLabel& label : greedy[i]) EXPECT_EQ(label.score, scores[i][label.label]);
    EXPECT_EQ(predictor.scores(spans({documents[i]}), {{5, 32999, 5}})[0],
              (std::vector<float>{scores[i][5], scores[i][32999], scores[i][5]}));
  }
}

TEST_F(PredictorTest, DamagedWeights) {
  const std::string bytes = read_file(folder_.weights());
  write_file(folder_.weights(), bytes.substr(0, bytes.size() / 2));
  const std::string message = message_of<Error>([&] { Predictor{folder_}; });
  EXPECT_NE(message.find("weights.safetensors"), std::string::npos) << message;
}

}  // namespace
}  // namespace otseq2set::testing
