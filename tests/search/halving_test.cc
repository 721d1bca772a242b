#include "otseq2set/search/halving.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace otseq2set::testing {
namespace {

using Kind = SearchStep::Kind;

TEST(Ladder, GrowsThreefoldUpToAllEpochs) {
  EXPECT_EQ(ladder_rungs(1), 1);
  EXPECT_EQ(ladder_rungs(2), 2);
  EXPECT_EQ(ladder_rungs(3), 2);
  EXPECT_EQ(ladder_rungs(10), 4);
  const std::vector<int64_t> expected = {1, 2, 4, 10};
  for (int64_t rung = 0; rung < 4; ++rung) EXPECT_EQ(epochs_at(rung, 4, 10), expected[static_cast<size_t>(rung)]);
  EXPECT_EQ(epochs_at(1, 2, 3), 3);
  EXPECT_EQ(epochs_at(0, 2, 5), 2);  // a candidate with more epochs than the first
}

// A search in which nothing is trained: candidate i has the value quality[i] + 0.01 a rung and takes pace[i] seconds an
// epoch.
class Simulation {
 public:
  Simulation(double budget, std::vector<double> quality, int64_t epochs = 3, bool linear = false)
      : quality_(std::move(quality)), pace_(quality_.size(), 10), epochs_(epochs) {
    state_.budget = budget;
    state_.refit_ratio = 1.1;
    state_.linear = linear;
    state_.networks.resize(quality_.size());
    if (linear) state_.linears.resize(5);
  }

  SearchState& state() { return state_; }
  std::vector<double>& pace() { return pace_; }
  const std::vector<SearchStep>& done() const { return done_; }

  // Until the last training begins; returns the clock at its end.
  double run() {
    for (int i = 0; i < 1000; ++i) {
      const std::vector<SearchStep> steps = next_steps(state_);
      if (steps.empty()) break;
      done_.push_back(steps.front());
      if (steps.front().kind == Kind::kRefit) return state_.now + reserve(state_);
      take(steps.front());
    }
    ADD_FAILURE() << "the search does not end";
    return 0;
  }

  void take(const SearchStep& step) {
    if (step.kind == Kind::kChooseLinear) {
      state_.linear_chosen = true;
      return;
    }
    RungResult result;
    result.rung = step.rung;
    result.other_seconds = 1;
    result.linear_seconds = state_.linear ? 4 : 0;
    if (step.kind == Kind::kLinear) {
      result.value = 0.5;
      result.seconds = 5;
    } else {
      const int64_t first = step.candidate == 0 ? epochs_ : state_.networks[0].results[0].all_epochs;
      const Trial& before = state_.networks[step.candidate].results;
      result.all_epochs = epochs_;
      result.epochs = result.best_epoch = epochs_at(step.rung, ladder_rungs(first), epochs_);
      result.epoch_seconds = result.step_seconds = pace_[step.candidate];
      const auto trained = static_cast<double>(result.epochs - (before.empty() ? 0 : before.back().epochs));
      result.seconds = 1 + trained * pace_[step.candidate];
      result.value = quality_[step.candidate] + 0.01 * static_cast<double>(step.rung);
    }
    state_.now += result.seconds;
    result.at = state_.now;
    (step.kind == Kind::kLinear ? state_.linears : state_.networks)[step.candidate].results.push_back(result);
  }

  size_t rungs_of(size_t candidate) const { return state_.networks[candidate].results.size(); }

 private:
  SearchState state_;
  std::vector<double> quality_, pace_;
  int64_t epochs_;
  std::vector<SearchStep> done_;
};

std::vector<double> rising(size_t count) {
  std::vector<double> quality;
  for (size_t i = 0; i < count; ++i) quality.push_back(0.3 + 0.001 * static_cast<double>(i * 7919 % 100));
  return quality;
}

TEST(Halving, TheGivenConfigurationComesFirstAndStandsOnEveryRung) {
  Simulation search(300, rising(20), 10);
  search.run();
  for (int64_t rung = 0; rung < 4; ++rung) {
    EXPECT_EQ(search.done()[static_cast<size_t>(rung)], (SearchStep{Kind::kNetwork, 0, rung}));
  }
}

TEST(Halving, EndsInTimeWithTheLastTraining) {
  for (const double budget : {80.0, 120.0, 300.0, 1000.0, 5000.0}) {
    for (const int64_t epochs : {1, 2, 3, 10}) {
      Simulation search(budget, rising(1000), epochs);
      search.pace()[7] = 25;
      const double end = search.run();
      const double least = 2.2 * 10 * static_cast<double>(epochs) + 6;  // the given configuration alone
      if (budget > least) {
        EXPECT_LE(end, budget) << budget << " seconds, " << epochs << " epochs";
        EXPECT_EQ(search.rungs_of(0), static_cast<size_t>(ladder_rungs(epochs)));
      }
      if (budget > 2 * least + 100) {
        EXPECT_GT(end, 0.8 * budget) << "time is left unused";
      }
    }
  }
}

TEST(Halving, OnlyTheBestThirdOfARungTrainsOnWhileThereIsTimeForNewOnes) {
  Simulation search(2000, rising(300), 3);
  search.run();
  size_t begun = 0, full = 0;
  double worst_full = 1, best_left = 0;
  for (size_t i = 1; i < 300; ++i) {
    if (search.rungs_of(i) == 0) continue;
    ++begun;
    const double value = *search.state().networks[i].results[0].value;
    if (search.rungs_of(i) == 2) {
      ++full;
      worst_full = std::min(worst_full, value);
    } else {
      best_left = std::max(best_left, value);
    }
  }
  EXPECT_GT(begun, 40u);
  EXPECT_GT(full, begun / 5);
  EXPECT_LT(full, begun * 2 / 3);
  EXPECT_LE(best_left, 0.3 + 0.099) << "the best were promoted";
}

TEST(Halving, ABetterCandidateWins) {
  std::vector<double> quality(10, 0.4);
  quality[3] = 0.6;
  Simulation search(400, quality, 3);
  search.run();
  EXPECT_EQ(search.rungs_of(3), 2u);
  ASSERT_NE(best_result(search.state()), nullptr);
  EXPECT_DOUBLE_EQ(*best_result(search.state())->value, 0.61);
}

TEST(Halving, AmongEqualsTheGivenConfigurationWins) {
  Simulation search(400, std::vector<double>(10, 0.4), 3);
  search.run();
  EXPECT_EQ(best_result(search.state()), &search.state().networks[0].results.back());
}

TEST(Halving, ShortOfTimeTheGivenConfigurationStillHasARung) {
  Simulation search(5, rising(10), 3);
  search.run();
  EXPECT_EQ(search.done(), (std::vector<SearchStep>{{Kind::kNetwork, 0, 0}, {Kind::kRefit}}));
}

TEST(Halving, TheGivenConfigurationClimbsAsHighAsTimeAllows) {
  Simulation search(120, rising(10), 10);  // 10 seconds an epoch: 4 epochs and as many once more
  EXPECT_LE(search.run(), 120);
  EXPECT_EQ(search.rungs_of(0), 3u);
  EXPECT_EQ(search.state().networks[0].results.back().epochs, 4);
}

TEST(Halving, TheLinearModelIsSearchedByItselfBeforeTheOthersShareIt) {
  Simulation search(400, rising(20), 3, /*linear=*/true);
  search.run();
  const std::vector<SearchStep>& done = search.done();
  EXPECT_EQ(done[0], (SearchStep{Kind::kLinear, 0, 0}));
  EXPECT_EQ(done[1], (SearchStep{Kind::kNetwork, 0, 0}));
  EXPECT_EQ(done[2], (SearchStep{Kind::kNetwork, 0, 1}));
  size_t place = 3;
  for (size_t i = 1; i < 5; ++i) EXPECT_EQ(done[place++], (SearchStep{Kind::kLinear, i, 0}));
  EXPECT_EQ(done[place++], (SearchStep{Kind::kChooseLinear}));
  for (; place + 1 < done.size(); ++place) EXPECT_EQ(done[place].kind, Kind::kNetwork);

  Simulation in_a_hurry(100, rising(20), 3, /*linear=*/true);
  in_a_hurry.run();
  size_t linears = 0;
  for (const SearchStep& step : in_a_hurry.done()) linears += step.kind == Kind::kLinear;
  EXPECT_LE(linears, 3u) << "a tenth of the time";
}

TEST(Halving, NobodyBeginsWhatAnotherHasAndTheLastTrainingWaits) {
  Simulation search(400, rising(4), 3);
  search.take({Kind::kNetwork, 0, 0});
  search.take({Kind::kNetwork, 0, 1});
  search.state().networks[1].running = true;
  EXPECT_EQ(next_steps(search.state()).front(), (SearchStep{Kind::kNetwork, 2, 0}));
  search.state().now = 399;
  EXPECT_TRUE(next_steps(search.state()).empty()) << "candidate 1 may still win";
  search.state().networks[1].running = false;
  EXPECT_EQ(next_steps(search.state()), std::vector<SearchStep>{{Kind::kRefit}});
  search.state().now = 0;
  search.state().refit_begun = true;
  EXPECT_EQ(next_steps(search.state()), std::vector<SearchStep>{{Kind::kRefit}}) << "what was decided stays so";
}

TEST(Halving, WhatFailedOrIsGoneDoesNotGoOn) {
  Simulation search(1000, {0.4, 0.5, 0.6}, 3);
  for (size_t i = 0; i < 3; ++i) search.take({Kind::kNetwork, i, 0});
  search.take({Kind::kNetwork, 0, 1});
  search.state().networks[2].gone = true;
  for (const SearchStep& step : next_steps(search.state())) EXPECT_NE(step.candidate, 2u);
  search.state().networks[2].gone = false;
  EXPECT_EQ(next_steps(search.state()).front(), (SearchStep{Kind::kNetwork, 2, 1}));
  search.state().networks[2].results.back().value.reset();
  for (const SearchStep& step : next_steps(search.state())) EXPECT_NE(step.candidate, 2u);
}

}  // namespace
}  // namespace otseq2set::testing
