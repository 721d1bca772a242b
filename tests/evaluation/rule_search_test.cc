#include "otseq2set/evaluation/rule_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "otseq2set/core/error.h"
#include "otseq2set/core/random.h"
#include "otseq2set/evaluation/metrics.h"

namespace otseq2set {
namespace {

constexpr size_t kLabels = 6;  // label 6 is true somewhere but unknown

struct Answered {
  std::vector<int32_t> truth;
  std::vector<RuleSearch::Candidate> candidates;
};

std::vector<Answered> random_answers(uint64_t seed, size_t documents) {
  RandomStream random(seed, "answers");
  std::vector<Answered> answers(documents);
  for (Answered& answer : answers) {
    for (int32_t label = 0; label <= static_cast<int32_t>(kLabels); ++label) {
      if (random.below(3) == 0) answer.truth.push_back(label);
      if (label == static_cast<int32_t>(kLabels)) continue;
      // Few different scores, so that some are equal.
      answer.candidates.push_back({label, static_cast<float>(random.below(12)) / 16, random.below(2) == 0});
    }
  }
  return answers;
}

double measured(const std::vector<Answered>& answers, const SetRule& rule, SetMeasure measure) {
  MetricsOptions options;
  options.labels = kLabels;
  options.ks = {};
  Evaluator evaluator(options);
  for (const Answered& answer : answers) {
    DocumentResult result{answer.truth, {}, {}};
    for (const RuleSearch::Candidate& candidate : answer.candidates) {
      const bool reaches = candidate.score >= rule.threshold;
      const bool in = rule.kind == SetRule::Kind::kGreedy      ? candidate.greedy
                      : rule.kind == SetRule::Kind::kThreshold ? reaches
                                                               : candidate.greedy && reaches;
      if (in) result.predicted.push_back(candidate.label);
    }
    evaluator.add(result);
  }
  const MetricsReport report = evaluator.report();
  return std::vector<double>{report.micro_f1, report.macro_f1, report.weighted_f1,
                             report.example_f1}[static_cast<size_t>(measure)];
}

TEST(RuleSearch, FindsWhatTryingEverythingFinds) {
  size_t kinds[3] = {};
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto answers = random_answers(seed, 5);
    constexpr float kFloor = 2.0F / 16;
    RuleSearch search(kLabels, kFloor);
    for (const Answered& answer : answers) {
      std::vector<RuleSearch::Candidate> candidates;
      for (const auto& candidate : answer.candidates) {
        if (candidate.greedy || candidate.score >= kFloor) candidates.push_back(candidate);
      }
      search.add(answer.truth, candidates);
    }
    for (const SetMeasure measure :
         {SetMeasure::kMicroF1, SetMeasure::kMacroF1, SetMeasure::kWeightedF1, SetMeasure::kExampleF1}) {
      double best = measured(answers, {}, measure);
      const double greedy = best;
      for (const auto kind : {SetRule::Kind::kThreshold, SetRule::Kind::kGreedyThreshold}) {
        for (int step = 2; step <= 16; ++step) {
          best = std::max(best, measured(answers, {kind, static_cast<float>(step) / 16}, measure));
        }
      }
      const RuleSearch::Found found = search.best(measure);
      EXPECT_NEAR(found.value, best, 1e-12) << seed;
      EXPECT_NEAR(found.greedy_value, greedy, 1e-12);
      EXPECT_NEAR(measured(answers, found.rule, measure), best, 1e-12) << "the rule does what it promises";
      ++kinds[static_cast<size_t>(found.rule.kind)];
    }
  }
  for (const size_t count : kinds) EXPECT_GT(count, 0u) << "every kind of rule is the best sometimes";
}

TEST(RuleSearch, ThresholdLiesHalfway) {
  RuleSearch search(2, 0.01F);
  search.add({0}, {{0, 0.75F, false}, {1, 0.25F, false}});
  const RuleSearch::Found found = search.best(SetMeasure::kMicroF1);
  EXPECT_EQ(found.rule.kind, SetRule::Kind::kThreshold);
  EXPECT_FLOAT_EQ(found.rule.threshold, 0.5F);
  EXPECT_EQ(found.value, 1);
  EXPECT_EQ(found.greedy_value, 0);
}

TEST(RuleSearch, GreedyWhenNothingIsBetter) {
  RuleSearch search(2, 0.01F);
  EXPECT_EQ(search.best(SetMeasure::kMacroF1).rule.kind, SetRule::Kind::kGreedy) << "without documents";
  search.add({0}, {{0, 0.75F, true}});
  EXPECT_EQ(search.best(SetMeasure::kMicroF1).rule.kind, SetRule::Kind::kGreedy);
}

TEST(SetRule, NamesAndWords) {
  for (const auto kind : {SetRule::Kind::kGreedy, SetRule::Kind::kThreshold, SetRule::Kind::kGreedyThreshold}) {
    EXPECT_EQ(parse_kind(kind_name(kind)), kind);
  }
  EXPECT_THROW(parse_kind("best"), Error);
  EXPECT_THROW(parse_set_measure("accuracy"), UsageError);
  EXPECT_EQ(describe({SetRule::Kind::kThreshold, 0.25F}), "labels with a score of at least 0.25");
}

}  // namespace
}  // namespace otseq2set
