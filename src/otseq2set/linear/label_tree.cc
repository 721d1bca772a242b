#include "otseq2set/linear/label_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "otseq2set/core/random.h"
#include "otseq2set/core/threads.h"

namespace otseq2set::inline linear {

namespace {

constexpr size_t kLeafLabels = 96;        // at most
constexpr size_t kTopNodes = 512;         // at most, of the first level
constexpr size_t kHalvings = 6;           // from one level to the next
constexpr int kIterations = 8;            // of 2-means
constexpr size_t kDocumentsOfLabel = 64;  // that describe it, at most: more change its direction little

using Vector = std::vector<Feature>;

// The sum of the label's documents, scaled to length 1.
Vector describe(const FeatureRows& rows, const std::vector<uint32_t>& documents) {
  std::vector<Feature> all;
  for (size_t i = 0; i < std::min(documents.size(), kDocumentsOfLabel); ++i) {
    const SparseRow row = rows[documents[i]];
    for (int64_t j = 0; j < row.size; ++j) all.push_back({row.features[j], row.values[j]});
  }
  std::stable_sort(all.begin(), all.end(), [](const Feature& a, const Feature& b) { return a.number < b.number; });
  Vector sum;
  for (const Feature& feature : all) {
    if (sum.empty() || sum.back().number != feature.number) {
      sum.push_back(feature);
    } else {
      sum.back().value += feature.value;
    }
  }
  double squares = 0;
  for (const Feature& feature : sum) squares += static_cast<double>(feature.value) * feature.value;
  for (Feature& feature : sum) feature.value = static_cast<float>(feature.value / std::sqrt(std::max(squares, 1e-30)));
  return sum;
}

class Halving {
 public:
  Halving(const std::vector<Vector>& labels, size_t features) : labels_(labels), difference_(features) {}

  // Reorders the labels so that the first half (the larger by one) are alike, and the second.
  void halve(int32_t* begin, int32_t* end, RandomStream random) {
    const size_t count = end - begin, half = (count + 1) / 2;
    const size_t a = random.below(count), b = (a + 1 + random.below(count - 1)) % count;
    set_centres({begin + a, begin + a + 1}, {begin + b, begin + b + 1});
    std::vector<std::pair<float, int32_t>> order(count);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      for (size_t i = 0; i < count; ++i) order[i] = {-similarity(begin[i]), begin[i]};
      std::sort(order.begin(), order.end());
      bool same = true;
      for (size_t i = 0; i < count; ++i) {
        same = same && begin[i] == order[i].second;
        begin[i] = order[i].second;
      }
      if (same) break;
      set_centres({begin, begin + half}, {begin + half, end});
    }
    clear();
  }

 private:
  using Range = std::pair<const int32_t*, const int32_t*>;

  void add(Range range, float sign) {
    std::vector<int32_t> own;
    double squares = 0;
    for (const int32_t* label = range.first; label != range.second; ++label) {
      for (const Feature& feature : labels_[*label]) {
        if (sum_.size() <= static_cast<size_t>(feature.number)) sum_.resize(feature.number + 1);
        if (sum_[feature.number] == 0) own.push_back(feature.number);
        sum_[feature.number] += feature.value;
      }
    }
    for (const int32_t feature : own) squares += sum_[feature] * sum_[feature];
    const double scale = sign / std::sqrt(std::max(squares, 1e-30));
    for (const int32_t feature : own) {
      if (difference_[feature] == 0) touched_.push_back(feature);
      difference_[feature] += static_cast<float>(scale * sum_[feature]);
      sum_[feature] = 0;
    }
  }

  void clear() {
    for (const int32_t feature : touched_) difference_[feature] = 0;
    touched_.clear();
  }

  void set_centres(Range first, Range second) {
    clear();
    add(first, 1);
    add(second, -1);
  }

  float similarity(int32_t label) const {
    double sum = 0;
    for (const Feature& feature : labels_[label])
      sum += static_cast<double>(feature.value) * difference_[feature.number];
    return static_cast<float>(sum);
  }

  const std::vector<Vector>& labels_;
  std::vector<float> difference_;  // [features] first centre less second
  std::vector<int32_t> touched_;   // where it is not zero
  std::vector<double> sum_;        // [features], zero between calls
};

// Where part `i` of `parts` begins when halves are the larger first.
std::vector<size_t> begins(size_t count, size_t depth) {
  std::vector<size_t> sizes = {count};
  for (size_t level = 0; level < depth; ++level) {
    std::vector<size_t> next;
    for (const size_t size : sizes) {
      next.push_back((size + 1) / 2);
      next.push_back(size / 2);
    }
    sizes.swap(next);
  }
  std::vector<size_t> result = {0};
  for (const size_t size : sizes) result.push_back(result.back() + size);
  return result;
}

}  // namespace

LabelTree grow_label_tree(const FeatureRows& rows, size_t features, const std::vector<std::vector<uint32_t>>& documents,
                          size_t flat, uint64_t seed) {
  const size_t labels = documents.size();
  if (labels <= flat) return {std::vector<int32_t>(labels)};
  size_t depth = 1;
  while (labels >> depth > kLeafLabels) ++depth;
  std::vector<Vector> vectors(labels);
  parallel_for(static_cast<int64_t>(labels), [&](int64_t label) { vectors[label] = describe(rows, documents[label]); });
  std::vector<int32_t> order(labels);
  std::iota(order.begin(), order.end(), 0);
  for (size_t level = 0; level < depth; ++level) {
    const std::vector<size_t> begin = begins(labels, level);
    const int64_t nodes = static_cast<int64_t>(begin.size()) - 1, tasks = std::min<int64_t>(nodes, 64);
    parallel_for(tasks, [&](int64_t task) {
      Halving halving(vectors, features);
      for (int64_t node = task; node < nodes; node += tasks) {
        halving.halve(order.data() + begin[node], order.data() + begin[node + 1],
                      RandomStream(seed, "linear.tree", {level, static_cast<uint64_t>(node)}));
      }
    });
  }
  // The levels that are kept: the leaves, and above them one in kHalvings.
  std::vector<size_t> depths = {depth};
  while ((size_t{1} << depths.back()) > kTopNodes)
    depths.push_back(depths.back() - std::min(depths.back() - 1, kHalvings));
  std::reverse(depths.begin(), depths.end());
  LabelTree tree;
  for (size_t level = 0; level < depths.size(); ++level) {
    const size_t below = level == 0 ? depths[0] : depths[level] - depths[level - 1];
    std::vector<int32_t>& parents = tree.emplace_back(size_t{1} << depths[level]);
    for (size_t node = 0; node < parents.size(); ++node) parents[node] = static_cast<int32_t>(node >> below);
  }
  std::vector<int32_t>& leaves = tree.emplace_back(labels);
  const std::vector<size_t> begin = begins(labels, depth);
  for (size_t leaf = 0; leaf + 1 < begin.size(); ++leaf) {
    for (size_t i = begin[leaf]; i < begin[leaf + 1]; ++i) leaves[order[i]] = static_cast<int32_t>(leaf);
  }
  return tree;
}

}  // namespace otseq2set::inline linear
