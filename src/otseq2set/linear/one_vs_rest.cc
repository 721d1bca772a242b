#include "otseq2set/linear/one_vs_rest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <numeric>

#include "otseq2set/core/random.h"

namespace otseq2set::inline linear {

namespace {

using Lanes = std::array<float, kLabelLanes>;

struct alignas(64) LaneWeights {
  Lanes of_label = {};
};

class GroupSolver {
 public:
  GroupSolver(const FeatureRows& rows, size_t features, const std::vector<std::vector<uint32_t>>& positives,
              const OneVsRestOptions& options)
      : rows_(rows),
        options_(options),
        labels_(positives.size()),
        slack_(static_cast<float>(0.5 / options.c)),
        weights_(features + 1),
        alphas_(rows.size()),
        positive_(rows.size()),
        curvature_(rows.size()),
        order_(rows.size()) {
    for (size_t lane = 0; lane < labels_; ++lane) {
      for (const uint32_t row : positives[lane]) positive_[row] |= static_cast<uint16_t>(1U << lane);
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      double squares = 1 + slack_;  // of the constant, and the slack's own
      for (int64_t j = 0; j < rows[i].size; ++j) squares += static_cast<double>(rows[i].values[j]) * rows[i].values[j];
      curvature_[i] = static_cast<float>(squares);
    }
    std::iota(order_.begin(), order_.end(), 0);
  }

  void run() {
    size_t active = order_.size();
    float bound = std::numeric_limits<float>::infinity();
    for (epochs_ = 0; epochs_ < options_.most_epochs;) {
      const bool all = active == order_.size();
      shuffle(active);
      ++epochs_;
      Violations violations;
      for (size_t s = 0; s < active; ++s) {
        if (!visit(order_[s], bound, violations)) std::swap(order_[s--], order_[--active]);
      }
      if (violations.range(labels_) <= options_.tolerance) {
        if (all) break;
        active = order_.size();
        bound = std::numeric_limits<float>::infinity();
      } else {
        const float largest = *std::max_element(violations.largest.begin(), violations.largest.end());
        bound = largest > 0 ? largest : std::numeric_limits<float>::infinity();
      }
    }
  }

  GroupWeights result() const {
    GroupWeights result;
    const auto least = static_cast<float>(options_.prune);
    for (size_t feature = 0; feature + 1 < weights_.size(); ++feature) {
      for (size_t lane = 0; lane < labels_; ++lane) {
        const float weight = weights_[feature].of_label[lane];
        if (weight == 0 || std::fabs(weight) < least) continue;
        result.weights.push_back({static_cast<int32_t>(feature), static_cast<int32_t>(lane), weight});
      }
    }
    result.bias.assign(bias().begin(), bias().begin() + static_cast<ptrdiff_t>(labels_));
    return result;
  }

 private:
  // The projected gradients of a pass: all zero at the solution.
  struct Violations {
    Lanes largest, smallest;
    Violations() {
      largest.fill(-std::numeric_limits<float>::infinity());
      smallest.fill(std::numeric_limits<float>::infinity());
    }
    float range(size_t labels) const {
      float widest = 0;
      for (size_t lane = 0; lane < labels; ++lane) widest = std::max(widest, largest[lane] - smallest[lane]);
      return widest;
    }
  };

  void shuffle(size_t active) {
    RandomStream random(options_.seed, "linear.order", {static_cast<uint64_t>(epochs_)});
    for (size_t i = active; i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  }

  // One coordinate in each lane. False: no lane will need the document for now.
  bool visit(uint32_t row, float bound, Violations& violations) {
    Lanes products;
    const SparseRow features = rows_[row];
    lane_products(features, weights_.data()->of_label.data(), products.data());
    Lanes& alphas = alphas_[row];
    Lanes change;
    float any = 0, wanted = 0;
    for (size_t lane = 0; lane < kLabelLanes; ++lane) {
      const float y = static_cast<float>(positive_[row] >> lane & 1) * 2 - 1;
      const float alpha = alphas[lane];
      const float gradient = y * (products[lane] + bias()[lane]) - 1 + slack_ * alpha;
      const bool at_bound = alpha <= 0;
      const float projected = at_bound ? std::min(gradient, 0.0F) : gradient;
      violations.largest[lane] = std::max(violations.largest[lane], projected);
      violations.smallest[lane] = std::min(violations.smallest[lane], projected);
      wanted += static_cast<float>(!(at_bound && gradient > bound));
      const float next = std::max(alpha - gradient / curvature_[row], 0.0F);
      change[lane] = (next - alpha) * y;
      any += std::fabs(change[lane]);
      alphas[lane] = next;
    }
    if (any > 0) {
      lane_add(features, change.data(), weights_.data()->of_label.data());
      for (size_t lane = 0; lane < kLabelLanes; ++lane) bias()[lane] += change[lane];
    }
    return wanted > 0;
  }

  Lanes& bias() { return weights_.back().of_label; }
  const Lanes& bias() const { return weights_.back().of_label; }

  const FeatureRows& rows_;
  OneVsRestOptions options_;
  size_t labels_;
  float slack_;
  std::vector<LaneWeights> weights_;  // [features, then the bias]
  std::vector<Lanes> alphas_;         // [rows]
  std::vector<uint16_t> positive_;    // [rows] a bit a lane
  std::vector<float> curvature_;      // [rows]
  std::vector<uint32_t> order_;       // of the rows; those in use come first
  int64_t epochs_ = 0;
};

}  // namespace

GroupWeights train_group(const FeatureRows& rows, size_t features, const std::vector<std::vector<uint32_t>>& positives,
                         const OneVsRestOptions& options) {
  GroupSolver solver(rows, features, positives, options);
  solver.run();
  return solver.result();
}

}  // namespace otseq2set::inline linear
