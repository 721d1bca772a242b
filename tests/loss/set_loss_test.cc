#include "otseq2set/loss/set_loss.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "otseq2set/core/random.h"
#include "otseq2set/loss/transport_loss.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set {
namespace {

constexpr int64_t kIds = 11, kSteps = 4;

torch::Tensor random_tensor(torch::IntArrayRef shape, uint64_t seed) {
  RandomStream random(seed, "set loss test");
  torch::Tensor values = torch::empty(shape, torch::kFloat64);
  for (int64_t i = 0; i < values.numel(); ++i) values.data_ptr<double>()[i] = random.uniform(-2, 2);
  return values;
}

const LabelSets kLabels = {{}, {5}, {3, 9}, {4, 6, 7, 10}, {3, 4, 5, 6, 7, 8, 9}};  // 0, 1, some, N, more than N

class SetLossTest : public ::testing::TestWithParam<std::string> {
 protected:
  SetLossTest() { config_.scheme = GetParam(); }
  SetLoss loss(const torch::Tensor& logits, const LabelSets& labels, bool transport = true) const {
    return set_loss(logits, vectors_, labels, set_loss_counts(labels, kSteps, config_), config_, transport);
  }
  LossConfig config_;
  const torch::Tensor vectors_ = random_tensor({kIds, 3}, 1);
  const torch::Tensor logits_ = random_tensor({5, kSteps, kIds}, 2);
};
INSTANTIATE_TEST_SUITE_P(Schemes, SetLossTest, ::testing::Values("all", "first_n"),
                         [](const auto& info) { return info.param; });

TEST_P(SetLossTest, IsTheWeightedSumOfItsTerms) {
  config_.lambda = 3;
  config_.lambda_empty = 0.3;
  const SetLoss whole = loss(logits_, kLabels);
  EXPECT_NEAR(whole.total.item<double>(), whole.matching + 3 * whole.transport, 1e-12);
  const torch::Tensor log_probabilities = logits_.log_softmax(2);
  // 0 + 1 + 2 + 4 + 4 labels matched, the other 9 steps empty
  EXPECT_NEAR(whole.matching, matching_loss_sum(log_probabilities, whole.targets, 0.3).item<double>() / (11 + 0.3 * 9),
              1e-12);
  const torch::Tensor expected = torch::matmul(log_probabilities.exp(), vectors_);
  EXPECT_NEAR(whole.transport, transport_loss_sum(expected, vectors_, kLabels).item<double>() / 5, 1e-12);
  EXPECT_TRUE(torch::equal(whole.targets, match_labels(log_probabilities, kLabels, matching_scheme(GetParam()))));

  const SetLoss matching_alone = loss(logits_, kLabels, /*transport=*/false);
  EXPECT_EQ(matching_alone.transport, 0);
  EXPECT_EQ(matching_alone.total.item<double>(), matching_alone.matching);
  EXPECT_EQ(matching_alone.matching, whole.matching);
}

TEST_P(SetLossTest, Targets) {
  const torch::Tensor targets = loss(logits_, kLabels).targets;
  const std::vector<int64_t> matched = {0, 1, 2, 4, 4};
  for (size_t row = 0; row < kLabels.size(); ++row) {
    const torch::Tensor own = targets[static_cast<int64_t>(row)];
    EXPECT_EQ((own != kEmptyLabel).sum().item<int64_t>(), matched[row]);
    if (GetParam() == "first_n") {
      EXPECT_TRUE((own.slice(0, 0, matched[row]) != kEmptyLabel).all().item<bool>()) << own;
    }
  }
}

TEST_P(SetLossTest, OrderOfLabelsDoesNotMatter) {
  LabelSets reversed = kLabels;
  for (auto& set : reversed) std::reverse(set.begin(), set.end());
  EXPECT_NEAR(loss(logits_, kLabels).total.item<double>(), loss(logits_, reversed).total.item<double>(), 1e-12);
  EXPECT_TRUE(torch::equal(loss(logits_, kLabels).targets, loss(logits_, reversed).targets));
}

// A batch in parts: losses, terms and gradients add up to those of the whole.
TEST_P(SetLossTest, PartsAddUpToTheWhole) {
  torch::Tensor logits = logits_.clone().requires_grad_();
  const SetLoss whole = loss(logits, kLabels);
  const torch::Tensor gradient = torch::autograd::grad({whole.total}, {logits})[0];
  const SetLossCounts counts = set_loss_counts(kLabels, kSteps, config_);
  for (const std::vector<int64_t>& cuts : std::vector<std::vector<int64_t>>{{0, 5}, {0, 2, 5}, {0, 1, 2, 3, 4, 5}}) {
    double total = 0, matching = 0, transport = 0;
    torch::Tensor sum = torch::zeros_like(logits_);
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      const LabelSets labels(kLabels.begin() + cuts[i], kLabels.begin() + cuts[i + 1]);
      const SetLoss part = set_loss(logits.slice(0, cuts[i], cuts[i + 1]), vectors_, labels, counts, config_,
                                    /*transport=*/true);
      total += part.total.item<double>();
      matching += part.matching;
      transport += part.transport;
      sum += torch::autograd::grad({part.total}, {logits})[0];
    }
    EXPECT_NEAR(total, whole.total.item<double>(), 1e-12);
    EXPECT_NEAR(matching, whole.matching, 1e-12);
    EXPECT_NEAR(transport, whole.transport, 1e-12);
    EXPECT_LE((sum - gradient).abs().max().item<double>(), 1e-13);
  }
}

// One document without labels: every step is asked for the empty label, and that is all.
TEST_P(SetLossTest, NoLabels) {
  torch::Tensor logits = logits_.slice(0, 0, 1).clone().requires_grad_();
  const SetLoss none = loss(logits, {{}});
  EXPECT_TRUE((none.targets == kEmptyLabel).all().item<bool>());
  EXPECT_EQ(none.transport, 0);
  const double expected = -logits.detach().log_softmax(2).select(2, kEmptyLabel).mean().item<double>();
  EXPECT_NEAR(none.total.item<double>(), expected, 1e-12) << "lambda_empty cancels";
  none.total.backward();
  EXPECT_GT(logits.grad().abs().max().item<double>(), 0);
}

// The gradient of the whole loss by finite differences; the assignment and the plan do not follow the logits.
TEST_P(SetLossTest, GradientOfTheMatchingTerm) {
  torch::Tensor logits = logits_.clone().requires_grad_();
  const SetLoss whole = loss(logits, kLabels, /*transport=*/false);
  whole.total.backward();
  const double h = 1e-6, weight = set_loss_counts(kLabels, kSteps, config_).weight;
  for (int64_t i = 0; i < logits_.numel(); i += 7) {
    auto value = [&](double shift) {
      torch::Tensor moved = logits_.clone();
      moved.view(-1)[i] += shift;
      return matching_loss_sum(moved.log_softmax(2), whole.targets, config_.lambda_empty).item<double>() / weight;
    };
    EXPECT_NEAR(logits.grad().view(-1)[i].item<double>(), (value(h) - value(-h)) / (2 * h), 1e-8);
  }
}

}  // namespace
}  // namespace otseq2set
