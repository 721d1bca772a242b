#include "otseq2set/reproduction/plan.h"

#include <gtest/gtest.h>

#include "otseq2set/core/error.h"

namespace otseq2set {
namespace {

PlanOptions options() {
  PlanOptions options;
  options.base.loss.scheme = "first_n";
  options.variants = {"seq2seq", "bm", "otseq2set"};
  options.seeds = {1, 7};
  return options;
}

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedRun& run : plan.runs) names.push_back(run.name);
  return names;
}

TEST(Plan, SeedBySeedAndBothSchemesForTheWholeModel) {
  const Plan plan = make_plan(options());
  EXPECT_EQ(names(plan), (std::vector<std::string>{"seq2seq-seed1", "bm-seed1", "otseq2set-seed1",
                                                   "otseq2set-loss.scheme=all-seed1", "seq2seq-seed7", "bm-seed7",
                                                   "otseq2set-seed7", "otseq2set-loss.scheme=all-seed7"}));
  EXPECT_EQ(plan.runs[7].config.training.seed, 7);
  EXPECT_EQ(plan.runs[7].config.loss.scheme, "all");
  EXPECT_EQ(plan.runs[0].config.variant, "seq2seq");
  ASSERT_EQ(plan.systems.size(), 4u);
  EXPECT_EQ(plan.systems[0].title, "Seq2Seq");
  EXPECT_EQ(plan.systems[0].scheme, "");
  EXPECT_EQ(plan.systems[0].kind, SystemResult::Kind::kBaseline);
  EXPECT_EQ(plan.systems[1].scheme, "first_n");
  EXPECT_EQ(plan.systems[3].scheme, "all");
  EXPECT_EQ(plan.runs[3].systems, std::vector<size_t>{3});
}

TEST(Plan, SchemesAsAskedFor) {
  PlanOptions asked = options();
  asked.schemes = {"all", "first_n"};
  asked.seeds = {1};
  EXPECT_EQ(names(make_plan(asked)), (std::vector<std::string>{"seq2seq-seed1", "bm-loss.scheme=all-seed1", "bm-seed1",
                                                               "otseq2set-loss.scheme=all-seed1", "otseq2set-seed1"}));
}

// The paper's rows stand by themselves, even where the configuration asks for a hybrid.
TEST(Plan, TheHybridIsARowOfItsOwn) {
  PlanOptions asked = options();
  asked.base.linear.hybrid = true;
  asked.variants = {"seq2seq", "otseq2set", "linear", "hybrid"};
  asked.schemes = {"first_n"};
  asked.seeds = {1};
  const Plan plan = make_plan(asked);
  EXPECT_EQ(names(plan),
            (std::vector<std::string>{"seq2seq-seed1", "otseq2set-seed1", "linear-seed1", "hybrid-seed1"}));
  for (const size_t run : {0, 1, 2}) EXPECT_FALSE(plan.runs[run].config.linear.hybrid);
  EXPECT_TRUE(plan.runs[3].config.linear.hybrid);
  EXPECT_EQ(plan.runs[3].config.variant, "otseq2set");
  EXPECT_EQ(plan.systems[3].title, "OTSeq2Set + Linear");
  EXPECT_EQ(plan.systems[2].kind, SystemResult::Kind::kBaseline);
  EXPECT_EQ(plan.systems[2].scheme, "");
  EXPECT_EQ(plannable_variants().size(), variants().size() + 1);
}

// The value that the configuration has already is the plain run, not one more.
TEST(Plan, ASweepTakesThePlainRunIn) {
  PlanOptions swept = options();
  swept.sweep = parse_sweep("loss.lambda=0,8,16");
  swept.seeds = {1};
  swept.schemes = {"first_n"};
  const Plan plan = make_plan(swept);
  EXPECT_EQ(names(plan), (std::vector<std::string>{"seq2seq-seed1", "bm-seed1", "otseq2set-seed1",
                                                   "otseq2set-loss.lambda=0-seed1", "otseq2set-loss.lambda=16-seed1"}));
  EXPECT_EQ(plan.runs[2].systems, (std::vector<size_t>{2, 4})) << "the plain row, and a point of the sweep";
  EXPECT_EQ(plan.systems[2].sweep_key, "") << "it stays in the main table";
  EXPECT_EQ(plan.systems[4].sweep_value, "8");
  EXPECT_EQ(plan.systems[3].sweep_key, "loss.lambda");
  EXPECT_EQ(plan.runs[4].config.loss.lambda, 16);
}

TEST(Plan, WhatIsWrongIsNamed) {
  PlanOptions wrong = options();
  wrong.sweep = Sweep{"loss.lambda", {"-3"}};
  EXPECT_THROW(make_plan(wrong), UsageError);
  wrong = options();
  wrong.seeds = {1, 1};
  EXPECT_THROW(make_plan(wrong), UsageError);
  for (const char* text : {"loss.lambda", "=3", "loss.lambda="}) EXPECT_THROW(parse_sweep(text), UsageError);
}

}  // namespace
}  // namespace otseq2set
