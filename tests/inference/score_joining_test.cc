#include "otseq2set/inference/score_joining.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "support/temp_folder.h"

namespace otseq2set::testing {
namespace {

JoiningTerms random_terms(RandomStream& random) {
  JoiningTerms terms;
  for (double& term : terms) term = random.uniform(-1, 1);
  terms[0] = 1;
  return terms;
}

TEST(ScoreJoining, FindsTheWeightsThatMadeTheData) {
  RandomStream random(1, "examples");
  ScoreJoining truth;
  for (double& weight : truth.weights) weight = random.uniform(-2, 2);
  JoiningFit fit;
  for (int i = 0; i < 100000; ++i) {
    const JoiningTerms terms = random_terms(random);
    fit.add(terms, random.uniform() < truth.score(terms));
  }
  // The standard error of a weight is about 2 / sqrt(100000 / 3) = 0.011 here.
  for (size_t i = 0; i < truth.weights.size(); ++i) {
    EXPECT_NEAR(fit.best().weights[i], truth.weights[i], 0.06) << kJoiningTerms[i];
  }
}

TEST(ScoreJoining, ATermThatIsAlwaysZeroHasNoWeight) {
  RandomStream random(1, "examples");
  JoiningFit fit;
  for (int i = 0; i < 1000; ++i) {
    const double margin = random.uniform(-2, 1);
    fit.add({1, 0, margin}, random.uniform() < 1 / (1 + std::exp(-2 * margin)));
  }
  const ScoreJoining found = fit.best();
  for (size_t i = 0; i < found.weights.size(); ++i) {
    EXPECT_TRUE(i == 0 || i == 2 || found.weights[i] == 0) << kJoiningTerms[i];
  }
  EXPECT_GT(found.weights[2], 1);
}

TEST(ScoreJoining, ExamplesThatCanBeToldApartGiveFiniteWeights) {
  JoiningFit fit;
  for (int i = 0; i < 100; ++i) fit.add({1, i % 2 == 0 ? 16.0 : -16.0, i % 2 == 0 ? 1.0 : -1.0}, i % 2 == 0);
  const ScoreJoining found = fit.best();
  for (const double weight : found.weights) EXPECT_TRUE(std::isfinite(weight));
  EXPECT_GT(found.score({1, 16, 1}), 0.99);
  EXPECT_LT(found.score({1, -16, -1}), 0.01);
}

TEST(ScoreJoining, NothingToFitGivesNoWeights) {
  for (const double weight : JoiningFit().best().weights) EXPECT_EQ(weight, 0);
}

TEST(ScoreJoining, ComesBackFromItsFile) {
  const TempFolder temp;
  const ModelFolder folder(temp.path(""));
  EXPECT_EQ(load_joining(folder, Manifest(folder)).weights, ScoreJoining().weights);
  RandomStream random(1, "weights");
  ScoreJoining joining;
  for (double& weight : joining.weights) weight = random.uniform(-2, 2);
  save_joining(folder, joining);
  EXPECT_EQ(load_joining(folder, Manifest(folder)).weights, joining.weights);
  for (const char* damaged : {"{}", "[]", "", "{\"bias\": \"x\"}"}) {
    temp.write("joining.json", damaged);
    EXPECT_THROW(load_joining(folder, Manifest(folder)), Error) << damaged;
  }
}

TEST(JoinedDocument, TermsAreWhatTheirNamesSay) {
  const std::vector<float> scores = {0.2F, 0.9F, 0.5F}, margins = {-0.5F, 0.25F, -1};
  const std::vector<double> counts = log_counts({100, 10, 1});
  const JoinedDocument document({&scores, &margins, &counts});
  EXPECT_EQ(document.candidates(), (std::vector<int32_t>{0, 1, 2}));
  const JoiningTerms terms = document.terms(0);
  const double logit = std::log(0.2 / 0.8),
               sigmoids = 1 / (1 + std::exp(4.5 * 0.5)) + 1 / (1 + std::exp(-4.5 * 0.25)) + 1 / (1 + std::exp(4.5));
  const JoiningTerms expected = {1,
                                 logit,
                                 -0.5,
                                 std::log(100),
                                 logit * std::log(100),
                                 -0.5 * std::log(100),
                                 -0.5 * logit,
                                 std::log(1.6 + 0.01),
                                 std::log(sigmoids + 0.01),
                                 std::log(0.9 / 0.1),
                                 0.25,
                                 std::log(3),
                                 std::log(2)};
  for (size_t i = 0; i < terms.size(); ++i) EXPECT_NEAR(terms[i], expected[i], 1e-6) << kJoiningTerms[i];
}

double term(const JoiningTerms& terms, const std::string& name) {
  const auto found = std::find(kJoiningTerms.begin(), kJoiningTerms.end(), name);
  EXPECT_NE(found, kJoiningTerms.end()) << name;
  return terms[static_cast<size_t>(found - kJoiningTerms.begin())];
}

TEST(JoinedDocument, VotesAndNamesHaveTheirTerms) {
  const std::vector<float> margins(200, -0.5F);
  const std::vector<double> counts(200, 2);
  const Votes votes{0.75F, {{60, 0.25F}}};
  const std::vector<Mention> mentions = {{70, 0.5F, 9, false, 0}, {80, 1, 8, true, 3}};
  const JoinedDocument document({nullptr, &margins, &counts, &votes, &mentions});
  const std::vector<int32_t> candidates = document.candidates();
  EXPECT_TRUE(std::binary_search(candidates.begin(), candidates.end(), 60));
  EXPECT_FALSE(std::binary_search(candidates.begin(), candidates.end(), 70));  // the name stands there in part
  EXPECT_TRUE(std::binary_search(candidates.begin(), candidates.end(), 80));

  const JoiningTerms voted = document.terms(60), part = document.terms(70), named = document.terms(80);
  EXPECT_DOUBLE_EQ(term(voted, "vote"), 0.25);
  EXPECT_DOUBLE_EQ(term(voted, "log_vote"), std::log(0.255));
  EXPECT_DOUBLE_EQ(term(voted, "log_vote_log_count"), 2 * std::log(0.255));
  EXPECT_DOUBLE_EQ(term(voted, "vote_margin"), -0.125);
  EXPECT_DOUBLE_EQ(term(voted, "nearest"), 0.75);
  EXPECT_DOUBLE_EQ(term(voted, "name_share"), 0);
  EXPECT_DOUBLE_EQ(term(part, "log_vote"), std::log(0.005));
  EXPECT_DOUBLE_EQ(term(part, "name_share"), 0.5);
  EXPECT_DOUBLE_EQ(term(part, "name_share_margin"), -0.25);
  EXPECT_DOUBLE_EQ(term(part, "name"), 0);
  EXPECT_DOUBLE_EQ(term(part, "name_weight"), 0);
  EXPECT_DOUBLE_EQ(term(named, "name"), 1);
  EXPECT_DOUBLE_EQ(term(named, "name_phrase"), 1);
  EXPECT_DOUBLE_EQ(term(named, "name_log_times"), std::log(3));
  EXPECT_DOUBLE_EQ(term(named, "name_log_count"), 2);
  EXPECT_DOUBLE_EQ(term(named, "name_margin"), -0.5);
  EXPECT_DOUBLE_EQ(term(named, "name_weight"), 8);
}

TEST(ScoreJoining, AFileOfAnOlderVersionLacksTheLaterTerms) {
  const TempFolder temp;
  Json json;
  for (size_t i = 0; i < 13; ++i) json[kJoiningTerms[i]] = 0.5;
  temp.write("joining.json", json.dump());
  const ModelFolder folder(temp.path(""));
  const ScoreJoining joining = load_joining(folder, Manifest(folder));
  for (size_t i = 0; i < joining.weights.size(); ++i) EXPECT_EQ(joining.weights[i], i < 13 ? 0.5 : 0);
}

TEST(JoinedDocument, WithoutANetworkThereIsTheMarginAlone) {
  const std::vector<float> margins = {-0.5F, 0.25F};
  const std::vector<double> counts = log_counts({100, 10});
  const JoiningTerms terms = JoinedDocument({nullptr, &margins, &counts}).terms(1);
  EXPECT_EQ(terms, (JoiningTerms{1, 0, 0.25}));
}

TEST(JoinedDocument, CertainScoresHaveFiniteTerms) {
  const std::vector<float> scores = {0, 1}, margins = {-30, 30};
  const std::vector<double> counts = log_counts({0, 1});
  for (const size_t label : {0, 1}) {
    for (const double term : JoinedDocument({&scores, &margins, &counts}).terms(label))
      EXPECT_TRUE(std::isfinite(term));
  }
}

TEST(JoinedDocument, LabelsBehindTheBestShareAPlace) {
  std::vector<float> scores(200), margins(200);
  for (size_t i = 0; i < 200; ++i) scores[i] = margins[i] = 1 - static_cast<float>(i) / 200;
  const std::vector<double> counts(200, 0);
  const JoinedDocument document({&scores, &margins, &counts});
  EXPECT_EQ(document.candidates().size(), 50u);
  EXPECT_NEAR(document.terms(49)[12], std::log(50), 1e-12);
  EXPECT_EQ(document.terms(50)[12], document.terms(199)[12]);
}

}  // namespace
}  // namespace otseq2set::testing
