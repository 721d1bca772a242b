#include "otseq2set/loss/matching_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "otseq2set/core/random.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set {
namespace {

using Ids = std::vector<int64_t>;

// log-probabilities of random distributions, [rows, steps, ids] float64
torch::Tensor random_log_probabilities(int64_t rows, int64_t steps, int64_t ids, uint64_t seed) {
  RandomStream random(seed, "matching loss test");
  torch::Tensor logits = torch::empty({rows, steps, ids}, torch::kFloat64);
  for (int64_t i = 0; i < logits.numel(); ++i) logits.data_ptr<double>()[i] = random.uniform(-3, 3);
  return logits.log_softmax(2);
}

Ids random_labels(RandomStream& random, int64_t count, int64_t ids) {
  Ids all;
  for (int64_t id = kFirstLabel; id < ids; ++id) all.push_back(id);
  random.shuffle(all);
  all.resize(count);
  return all;
}

// The largest sum of P[step, label] over all one-to-one choices, by trying them all.
double best_total(const torch::Tensor& log_probabilities, const Ids& labels, int64_t steps) {
  const torch::Tensor p = log_probabilities.exp();
  Ids slots(std::max<int64_t>(steps, static_cast<int64_t>(labels.size())), -1);
  std::copy(labels.begin(), labels.end(), slots.begin());
  std::sort(slots.begin(), slots.end());
  double best = -1;
  do {
    double total = 0;
    for (int64_t step = 0; step < steps; ++step) {
      if (slots[step] >= 0) total += p[step][slots[step]].item<double>();
    }
    best = std::max(best, total);
  } while (std::next_permutation(slots.begin(), slots.end()));
  return best;
}

void expect_best_matching(const torch::Tensor& log_probabilities, const Ids& labels, const torch::Tensor& targets,
                          MatchingScheme scheme) {
  const int64_t steps = log_probabilities.size(0), count = static_cast<int64_t>(labels.size());
  const int64_t used = scheme == MatchingScheme::kFirstN ? std::min(count, steps) : steps;
  std::multiset<int64_t> found;
  double total = 0;
  for (int64_t step = 0; step < steps; ++step) {
    const auto id = targets[step].item<int64_t>();
    if (id == kEmptyLabel) continue;
    EXPECT_LT(step, used) << "a label outside of the steps of the scheme";
    EXPECT_TRUE(std::count(labels.begin(), labels.end(), id)) << id << " is not a label of the document";
    found.insert(id);
    total += log_probabilities[step][id].exp().item<double>();
  }
  EXPECT_EQ(static_cast<int64_t>(found.size()), std::min(count, steps));
  EXPECT_EQ(std::set<int64_t>(found.begin(), found.end()).size(), found.size()) << "a label is asked for twice";
  EXPECT_NEAR(total, best_total(log_probabilities, labels, used), 1e-12);
}

class MatchLabels : public ::testing::TestWithParam<std::string> {
 protected:
  MatchingScheme scheme() const { return matching_scheme(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Schemes, MatchLabels, ::testing::Values("all", "first_n"),
                         [](const auto& info) { return info.param; });

// 0, 1, some, N and more than N labels, in one batch.
TEST_P(MatchLabels, EqualsBruteForce) {
  RandomStream random(1, "labels");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const int64_t steps = 1 + static_cast<int64_t>(random.below(5)), ids = 10;
    LabelSets labels;
    for (int64_t count : {int64_t{0}, int64_t{1}, steps / 2, steps, steps + 2}) {
      labels.push_back(random_labels(random, count, ids));
    }
    const torch::Tensor log_probabilities = random_log_probabilities(5, steps, ids, seed);
    const torch::Tensor targets = match_labels(log_probabilities, labels, scheme());
    ASSERT_EQ(targets.sizes(), (Ids{5, steps}));
    for (int64_t row = 0; row < 5; ++row) {
      expect_best_matching(log_probabilities[row], labels[row], targets[row], scheme());
    }
  }
}

TEST_P(MatchLabels, OrderOfLabelsDoesNotMatter) {
  RandomStream random(2, "labels");
  const torch::Tensor log_probabilities = random_log_probabilities(8, 6, 14, 3);
  LabelSets labels;
  for (int64_t count = 0; count < 8; ++count) labels.push_back(random_labels(random, count, 14));
  const torch::Tensor targets = match_labels(log_probabilities, labels, scheme());
  for (Ids& set : labels) std::reverse(set.begin(), set.end());
  EXPECT_TRUE(torch::equal(match_labels(log_probabilities, labels, scheme()), targets));
}

TEST_P(MatchLabels, NoGradient) {
  const torch::Tensor logits = torch::randn({2, 3, 8}).requires_grad_();
  const torch::Tensor targets = match_labels(logits.log_softmax(2), {{4, 5}, {6}}, scheme());
  EXPECT_FALSE(targets.requires_grad());
  EXPECT_EQ(targets.dtype(), torch::kInt64);
}

// Two labels, three steps, by hand: `all` may leave any step empty, `first_n` only those after the second.
TEST(MatchLabels, TheSchemesDiffer) {
  torch::Tensor p = torch::full({1, 3, 5}, 0.01, torch::kFloat64);
  p[0][0][3] = 0.2;
  p[0][1][3] = 0.1;
  p[0][1][4] = 0.3;
  p[0][2][4] = 0.6;
  auto targets = [&](MatchingScheme scheme) { return match_labels(p.log(), {{3, 4}}, scheme)[0]; };
  EXPECT_TRUE(torch::equal(targets(MatchingScheme::kAll), torch::tensor({int64_t{3}, kEmptyLabel, int64_t{4}})));
  EXPECT_TRUE(torch::equal(targets(MatchingScheme::kFirstN), torch::tensor({int64_t{3}, int64_t{4}, kEmptyLabel})));
  EXPECT_EQ(matching_scheme("all"), MatchingScheme::kAll);
  EXPECT_EQ(matching_scheme("first_n"), MatchingScheme::kFirstN);
}

TEST(MatchingLossSum, WeighsLabelsAndEmptySteps) {
  const torch::Tensor log_probabilities = random_log_probabilities(3, 4, 9, 5);
  const torch::Tensor targets = torch::tensor({{3, 1, 8, 1}, {1, 1, 1, 1}, {4, 5, 6, 7}}, torch::kInt64);
  for (double lambda_empty : {0.2, 1.0, 3.0}) {
    double expected = 0, weight = 0;
    for (int64_t row = 0; row < 3; ++row) {
      for (int64_t step = 0; step < 4; ++step) {
        const auto id = targets[row][step].item<int64_t>();
        const double w = id == kEmptyLabel ? lambda_empty : 1;
        expected -= w * log_probabilities[row][step][id].item<double>();
        weight += w;
      }
    }
    EXPECT_NEAR(matching_loss_sum(log_probabilities, targets, lambda_empty).item<double>(), expected, 1e-12);
    EXPECT_NEAR(
        matching_weight(2, 4, lambda_empty) + matching_weight(0, 4, lambda_empty) + matching_weight(4, 4, lambda_empty),
        weight, 1e-12);
  }
  EXPECT_EQ(matching_weight(9, 4, 0.2), 4) << "more labels than steps: every step has one";
}

// d(-w log P[target]) / d logits = w (P - 1[target])
TEST(MatchingLossSum, Gradient) {
  torch::Tensor logits = random_log_probabilities(2, 3, 7, 6).clone().requires_grad_();
  const torch::Tensor targets = torch::tensor({{3, 1, 4}, {1, 1, 6}}, torch::kInt64);
  matching_loss_sum(logits.log_softmax(2), targets, 0.25).backward();
  const torch::Tensor p = logits.detach().softmax(2);
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t step = 0; step < 3; ++step) {
      const auto target = targets[row][step].item<int64_t>();
      for (int64_t id = 0; id < 7; ++id) {
        const double expected = (target == kEmptyLabel ? 0.25 : 1) * (p[row][step][id].item<double>() - (id == target));
        EXPECT_NEAR(logits.grad()[row][step][id].item<double>(), expected, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace otseq2set
