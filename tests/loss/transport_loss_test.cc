#include "otseq2set/loss/transport_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "otseq2set/core/random.h"
#include "otseq2set/loss/ipot.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set {
namespace {

constexpr int64_t kIds = 9, kSteps = 4, kWidth = 5;

torch::Tensor random_tensor(torch::IntArrayRef shape, uint64_t seed, double range = 2) {
  RandomStream random(seed, "transport loss test");
  torch::Tensor values = torch::empty(shape, torch::kFloat64);
  for (int64_t i = 0; i < values.numel(); ++i) values.data_ptr<double>()[i] = random.uniform(-range, range);
  return values;
}

// C[i, j] of one document from the definition, by loops.
std::vector<double> naive_cost(const torch::Tensor& logits, const torch::Tensor& vectors,
                               const std::vector<int64_t>& labels) {
  const torch::Tensor p = logits.softmax(1);
  std::vector<double> cost;
  for (int64_t step = 0; step < logits.size(0); ++step) {
    std::vector<double> x(vectors.size(1), 0.0);
    for (int64_t id = 0; id < vectors.size(0); ++id) {
      for (int64_t k = 0; k < vectors.size(1); ++k) x[k] += p[step][id].item<double>() * vectors[id][k].item<double>();
    }
    for (int64_t label : labels) {
      double dot = 0, xx = 0, yy = 0;
      for (int64_t k = 0; k < vectors.size(1); ++k) {
        const auto y = vectors[label][k].item<double>();
        dot += x[k] * y, xx += x[k] * x[k], yy += y * y;
      }
      cost.push_back(1 - dot / std::max(std::sqrt(xx) * std::sqrt(yy), 1e-8));
    }
  }
  return cost;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> plan_of(const std::vector<double>& cost, size_t labels) {
  return transport_plan(cost.data(), static_cast<int>(cost.size() / labels), static_cast<int>(labels));
}

torch::Tensor loss_tensor(const torch::Tensor& logits, const torch::Tensor& vectors, const LabelSets& labels) {
  return transport_loss_sum(torch::matmul(logits.softmax(2), vectors.detach()), vectors, labels);
}

double loss(const torch::Tensor& logits, const torch::Tensor& vectors, const LabelSets& labels) {
  return loss_tensor(logits, vectors, labels).item<double>();
}

const LabelSets kLabels = {{3}, {}, {4, 8, 5}, {3, 4, 5, 6, 7, 8}, {6, 3, 8, 7}};  // 1, 0, some, more than N, N

TEST(TransportLoss, EqualsItsDefinition) {
  const torch::Tensor logits = random_tensor({5, kSteps, kIds}, 1), vectors = random_tensor({kIds, kWidth}, 2);
  double expected = 0;
  for (size_t row = 0; row < kLabels.size(); ++row) {
    if (kLabels[row].empty()) continue;
    const std::vector<double> cost = naive_cost(logits[static_cast<int64_t>(row)], vectors, kLabels[row]);
    expected += dot(plan_of(cost, kLabels[row].size()), cost);
  }
  EXPECT_NEAR(loss(logits, vectors, kLabels), expected, 1e-10);
}

// The plan is computed once and held constant; the cost follows the logits.
TEST(TransportLoss, GradientIsThatOfTheCostUnderAConstantPlan) {
  const torch::Tensor vectors = random_tensor({kIds, kWidth}, 4);
  torch::Tensor logits = random_tensor({5, kSteps, kIds}, 3).requires_grad_();
  const torch::Tensor own_vectors = vectors.clone().requires_grad_();
  loss_tensor(logits, own_vectors, kLabels).backward();
  EXPECT_FALSE(own_vectors.grad().defined()) << "no gradient through the label vectors";

  const double h = 1e-5;
  for (size_t row = 0; row < kLabels.size(); ++row) {
    const auto r = static_cast<int64_t>(row);
    torch::Tensor own = logits.detach()[r].clone();
    const size_t count = kLabels[row].size();
    const std::vector<double> plan =
        count == 0 ? std::vector<double>() : plan_of(naive_cost(own, vectors, kLabels[row]), count);
    for (int64_t step = 0; step < kSteps; ++step) {
      for (int64_t id = 0; id < kIds; ++id) {
        auto value = [&](double shift) {
          torch::Tensor moved = own.clone();
          moved[step][id] += shift;
          return dot(plan, naive_cost(moved, vectors, kLabels[row]));
        };
        const double expected = count == 0 ? 0 : (value(h) - value(-h)) / (2 * h);
        EXPECT_NEAR(logits.grad()[r][step][id].item<double>(), expected, 1e-8) << row << " " << step << " " << id;
      }
    }
  }
}

TEST(TransportLoss, DocumentsDoNotDependOnEachOther) {
  const torch::Tensor logits = random_tensor({5, kSteps, kIds}, 5), vectors = random_tensor({kIds, kWidth}, 6);
  double sum = 0;
  for (size_t row = 0; row < kLabels.size(); ++row) {
    sum += loss(logits.slice(0, static_cast<int64_t>(row), static_cast<int64_t>(row) + 1), vectors, {kLabels[row]});
  }
  EXPECT_NEAR(loss(logits, vectors, kLabels), sum, 1e-12);
}

TEST(TransportLoss, OrderOfLabelsDoesNotMatter) {
  const torch::Tensor logits = random_tensor({5, kSteps, kIds}, 7), vectors = random_tensor({kIds, kWidth}, 8);
  LabelSets reversed = kLabels;
  for (auto& set : reversed) std::reverse(set.begin(), set.end());
  EXPECT_NEAR(loss(logits, vectors, kLabels), loss(logits, vectors, reversed), 1e-12);
}

TEST(TransportLoss, NoLabelsAtAllIsZero) {
  EXPECT_EQ(loss(random_tensor({2, kSteps, kIds}, 9), random_tensor({kIds, kWidth}, 10), {{}, {}}), 0);
}

// Steps that predict exactly the labels are at distance zero from them; opposite vectors at distance two.
TEST(TransportLoss, PerfectAndOppositePredictions) {
  torch::Tensor vectors = torch::zeros({kIds, kWidth}, torch::kFloat64);
  vectors[3][0] = 1;
  vectors[4][1] = 2;
  vectors[5][0] = -3;
  auto certain = [](const std::vector<int64_t>& ids) {
    torch::Tensor logits = torch::zeros({1, static_cast<int64_t>(ids.size()), kIds}, torch::kFloat64);
    for (size_t t = 0; t < ids.size(); ++t) logits[0][static_cast<int64_t>(t)][ids[t]] = 200;
    return logits;
  };
  EXPECT_NEAR(loss(certain({3, 4}), vectors, {{3, 4}}), 0, 1e-6);
  EXPECT_NEAR(loss(certain({5}), vectors, {{3}}), 2, 1e-12);
  EXPECT_NEAR(loss(certain({4}), vectors, {{3}}), 1, 1e-12);
}

// Vectors of zero have no direction: the cost is 1, and nothing becomes infinite.
TEST(TransportLoss, ZeroVectors) {
  for (const torch::Tensor& vectors :
       {torch::zeros({kIds, kWidth}, torch::kFloat64), 1e-30 * random_tensor({kIds, kWidth}, 12)}) {
    torch::Tensor logits = random_tensor({1, kSteps, kIds}, 11).requires_grad_();
    const torch::Tensor value = loss_tensor(logits, vectors, {{3, 4}});
    EXPECT_NEAR(value.item<double>(), 1, 1e-9);
    value.backward();
    EXPECT_TRUE(torch::isfinite(logits.grad()).all().item<bool>());
  }
}

}  // namespace
}  // namespace otseq2set
