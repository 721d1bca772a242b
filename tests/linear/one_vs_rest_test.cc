#include "otseq2set/linear/one_vs_rest.h"

#include <gtest/gtest.h>
#include <linear.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "otseq2set/core/random.h"
#include "support/highway_targets.h"

namespace otseq2set::testing {
namespace {

constexpr size_t kFeatures = 40, kRows = 120;

// Sparse rows of length 1, and labels that depend on them, some rare.
struct Problem {
  explicit Problem(size_t labels, uint64_t seed = 1) : positives(labels) {
    RandomStream random(seed, "problem");
    std::vector<std::vector<double>> truth(labels, std::vector<double>(kFeatures));
    for (auto& weights : truth) {
      for (double& weight : weights) weight = random.uniform(-1, 1);
    }
    for (uint32_t i = 0; i < kRows; ++i) {
      std::vector<Feature> row;
      double squares = 0;
      for (size_t f = 0; f < kFeatures; ++f) {
        if (random.uniform() < 0.8) continue;
        row.push_back({static_cast<int32_t>(f), static_cast<float>(random.uniform(0.1, 1))});
        squares += static_cast<double>(row.back().value) * row.back().value;
      }
      for (Feature& feature : row) feature.value = static_cast<float>(feature.value / std::sqrt(squares));
      for (size_t label = 0; label < labels; ++label) {
        double sum = -0.1 * static_cast<double>(label);
        for (const Feature& feature : row) sum += truth[label][feature.number] * feature.value;
        if (sum > 0) positives[label].push_back(i);
      }
      rows.add(row);
    }
  }

  FeatureRows rows;
  std::vector<std::vector<uint32_t>> positives;
};

struct Dense {
  std::vector<std::vector<double>> weights;  // [labels][features, then the bias]
};

Dense dense(const GroupWeights& group) {
  Dense result{std::vector<std::vector<double>>(group.bias.size(), std::vector<double>(kFeatures + 1))};
  for (const ClassifierWeight& one : group.weights) result.weights[one.classifier][one.feature] = one.weight;
  for (size_t label = 0; label < group.bias.size(); ++label) result.weights[label][kFeatures] = group.bias[label];
  return result;
}

double sign(const Problem& problem, size_t label, uint32_t row) {
  const auto& own = problem.positives[label];
  return std::binary_search(own.begin(), own.end(), row) ? 1 : -1;
}

double objective(const Problem& problem, size_t label, const std::vector<double>& weights, double c) {
  double value = 0;
  for (const double weight : weights) value += weight * weight / 2;
  for (uint32_t i = 0; i < kRows; ++i) {
    double margin = weights[kFeatures];
    for (int64_t j = 0; j < problem.rows[i].size; ++j) {
      margin += weights[problem.rows[i].features[j]] * problem.rows[i].values[j];
    }
    const double lack = std::max(0.0, 1 - sign(problem, label, i) * margin);
    value += c * lack * lack;
  }
  return value;
}

// LIBLINEAR's solution of the same problem.
std::vector<double> liblinear(const Problem& problem, size_t label, double c) {
  std::vector<std::vector<feature_node>> nodes;
  std::vector<feature_node*> x;
  std::vector<double> y;
  for (uint32_t i = 0; i < kRows; ++i) {
    auto& row = nodes.emplace_back();
    for (int64_t j = 0; j < problem.rows[i].size; ++j) {
      row.push_back({problem.rows[i].features[j] + 1, problem.rows[i].values[j]});
    }
    row.push_back({static_cast<int>(kFeatures) + 1, 1});
    row.push_back({-1, 0});
    y.push_back(sign(problem, label, i));
  }
  for (auto& row : nodes) x.push_back(row.data());
  const ::problem given{static_cast<int>(kRows), static_cast<int>(kFeatures) + 1, y.data(), x.data(), -1};
  parameter how = {};
  how.solver_type = L2R_L2LOSS_SVC_DUAL;
  how.eps = 1e-8;
  how.C = c;
  how.p = 0.1;
  [](auto& newer) {  // the constant is a feature like any other
    if constexpr (requires { newer.regularize_bias; }) newer.regularize_bias = 1;
  }(how);
  set_print_string_function([](const char*) {});
  ::model* found = ::train(&given, &how);
  std::vector<double> weights(kFeatures + 1);
  for (size_t f = 0; f <= kFeatures; ++f) weights[f] = found->w[f] * found->label[0];
  free_and_destroy_model(&found);
  return weights;
}

TEST(OneVsRest, AgreesWithLiblinear) {
  for_each_target([] {
    for (const double c : {0.1, 1.0, 10.0}) {
      const Problem problem(5);
      const Dense own = dense(train_group(problem.rows, kFeatures, problem.positives, {c, 1e-5, 10000, 0, 1}));
      for (size_t label = 0; label < 5; ++label) {
        const std::vector<double> other = liblinear(problem, label, c);
        for (size_t f = 0; f <= kFeatures; ++f) {
          // The violation allowed, and what float32 loses in thousands of steps.
          EXPECT_NEAR(own.weights[label][f], other[f], 2e-3 * std::max(1.0, c)) << "label " << label << " weight " << f;
        }
      }
    }
  });
}

TEST(OneVsRest, TheUsualToleranceIsNearTheOptimum) {
  const Problem problem(kLabelLanes);
  const Dense rough = dense(train_group(problem.rows, kFeatures, problem.positives, {}));
  const Dense exact = dense(train_group(problem.rows, kFeatures, problem.positives, {1, 1e-6, 10000, 0, 1}));
  for (size_t label = 0; label < kLabelLanes; ++label) {
    const double best = objective(problem, label, exact.weights[label], 1);
    EXPECT_LT(objective(problem, label, rough.weights[label], 1), 1.01 * best) << label;
  }
}

TEST(OneVsRest, ALabelDoesNotDependOnItsCompany) {
  const Problem problem(7);
  const OneVsRestOptions exact{1, 1e-6, 10000, 0, 1};
  const Dense together = dense(train_group(problem.rows, kFeatures, problem.positives, exact));
  for (size_t label = 0; label < 7; ++label) {
    const Dense alone = dense(train_group(problem.rows, kFeatures, {problem.positives[label]}, exact));
    for (size_t f = 0; f <= kFeatures; ++f) EXPECT_NEAR(alone.weights[0][f], together.weights[label][f], 1e-3);
  }
}

TEST(OneVsRest, SmallWeightsAreLeftOut) {
  const Problem problem(3);
  const GroupWeights all = train_group(problem.rows, kFeatures, problem.positives, {});
  OneVsRestOptions pruned;
  pruned.prune = 0.2;
  const GroupWeights large = train_group(problem.rows, kFeatures, problem.positives, pruned);
  const size_t expected = std::count_if(all.weights.begin(), all.weights.end(),
                                        [](const ClassifierWeight& one) { return std::fabs(one.weight) >= 0.2F; });
  EXPECT_EQ(large.weights.size(), expected);
  EXPECT_LT(expected, all.weights.size());
  EXPECT_EQ(large.bias, all.bias);
}

TEST(OneVsRest, ALabelWithoutDocumentsIsNeverGiven) {
  const Problem problem(2);
  const Dense own = dense(train_group(problem.rows, kFeatures, {{}, problem.positives[1]}, {}));
  for (uint32_t i = 0; i < kRows; ++i) {
    double margin = own.weights[0][kFeatures];
    for (int64_t j = 0; j < problem.rows[i].size; ++j) {
      margin += own.weights[0][problem.rows[i].features[j]] * problem.rows[i].values[j];
    }
    EXPECT_LT(margin, 0);
  }
}

}  // namespace
}  // namespace otseq2set::testing
