#include "otseq2set/linear/train_linear.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "otseq2set/core/threads.h"
#include "otseq2set/linear/label_tree.h"
#include "otseq2set/linear/one_vs_rest.h"

namespace otseq2set::inline linear {

namespace {

using Documents = std::vector<uint32_t>;  // ascending

// Clusters of a document that it is likely to be taken for, so that they learn it is not theirs.
constexpr size_t kMatchedClusters = 20;

// The children of one node, trained on the documents of the node.
struct Family {
  Documents documents;
  std::vector<int32_t> children;
};

Documents merged(const Documents& a, const Documents& b) {
  Documents all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

// Some documents alone, with the features that they have.
struct Excerpt {
  FeatureRows rows;
  std::vector<int32_t> features;  // own number -> that of all
};

Excerpt take(const FeatureRows& rows, const Documents& documents, size_t features) {
  std::vector<int32_t> own(features, -1);
  for (const uint32_t document : documents) {
    for (int64_t j = 0; j < rows[document].size; ++j) own[rows[document].features[j]] = 0;
  }
  Excerpt excerpt;
  for (size_t feature = 0; feature < features; ++feature) {
    if (own[feature] < 0) continue;
    own[feature] = static_cast<int32_t>(excerpt.features.size());
    excerpt.features.push_back(static_cast<int32_t>(feature));
  }
  std::vector<Feature> row;
  for (const uint32_t document : documents) {
    row.clear();
    for (int64_t j = 0; j < rows[document].size; ++j) {
      row.push_back({own[rows[document].features[j]], rows[document].values[j]});
    }
    excerpt.rows.add(row);
  }
  return excerpt;
}

class LinearTraining {
 public:
  LinearTraining(const Dataset& documents, size_t word_ids, const LinearConfig& config, uint64_t seed,
                 const LinearProgress& progress)
      : features_(NgramFeatures::from_documents(documents, word_ids, static_cast<size_t>(config.pairs))),
        rows_(features_.rows(documents)),
        options_{.c = config.c, .tolerance = config.tolerance, .prune = config.prune, .seed = seed},
        progress_(progress) {
    std::vector<Documents> of_label(documents.known_labels());
    for (size_t i = 0; i < documents.size(); ++i) {
      for (const int32_t label : documents.labels(i)) {
        if (static_cast<size_t>(label) < of_label.size()) of_label[label].push_back(static_cast<uint32_t>(i));
      }
    }
    tree_ = grow_label_tree(rows_, features_.size(), of_label, static_cast<size_t>(config.flat_labels), seed);
    positives_.resize(tree_.size());
    positives_.back() = std::move(of_label);
    for (size_t level = tree_.size() - 1; level > 0; --level) {
      std::vector<Documents>& above = positives_[level - 1];
      above.resize(tree_[level - 1].size());
      for (size_t node = 0; node < tree_[level].size(); ++node) {
        Documents& all = above[tree_[level][node]];
        all.insert(all.end(), positives_[level][node].begin(), positives_[level][node].end());
      }
      for (Documents& all : above) {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
      }
    }
    for (const auto& level : tree_) total_ += level.size();
  }

  LinearModel run() {
    std::vector<Documents> considered(1);
    considered[0].resize(rows_.size());
    std::iota(considered[0].begin(), considered[0].end(), 0);
    for (size_t level = 0; level < tree_.size(); ++level) {
      const WeightColumns weights = train_level(level, considered);
      if (level + 1 == tree_.size()) return {std::move(features_), weights};
      considered = match(level, weights);
    }
    throw std::logic_error("a tree without levels");
  }

 private:
  // considered: [nodes above] documents that the children of the node are told apart on.
  WeightColumns train_level(size_t level, std::vector<Documents>& considered) {
    std::vector<Family> families(considered.size());
    for (size_t i = 0; i < families.size(); ++i) families[i].documents = std::move(considered[i]);
    for (size_t node = 0; node < tree_[level].size(); ++node) {
      families[tree_[level][node]].children.push_back(static_cast<int32_t>(node));
    }
    std::vector<std::pair<size_t, size_t>> groups;  // family, first child
    for (size_t family = 0; family < families.size(); ++family) {
      for (size_t first = 0; first < families[family].children.size(); first += kLabelLanes) {
        groups.emplace_back(family, first);
      }
    }
    const auto caller = std::this_thread::get_id();
    std::vector<ClassifierWeight> weights;
    std::vector<float> bias(tree_[level].size());
    parallel_for_ordered(
        static_cast<int64_t>(groups.size()),
        [&](int64_t i) { return train_group(level, families[groups[i].first], groups[i].second); },
        [&](int64_t i, const GroupWeights& group) {
          const auto& children = families[groups[i].first].children;
          const auto classifier = [&](size_t lane) { return children[groups[i].second + lane]; };
          for (const ClassifierWeight& one : group.weights) {
            weights.push_back({one.feature, classifier(one.classifier), one.weight});
          }
          for (size_t lane = 0; lane < group.bias.size(); ++lane) bias[classifier(lane)] = group.bias[lane];
          done_ += group.bias.size();
          if (progress_ && std::this_thread::get_id() == caller) progress_(done_, total_);
        });
    return {weights, std::move(bias), features_.size()};
  }

  GroupWeights train_group(size_t level, const Family& family, size_t first) const {
    const size_t last = std::min(first + kLabelLanes, family.children.size());
    std::vector<Documents> positives;
    for (size_t i = first; i < last; ++i) positives.push_back(positives_[level][family.children[i]]);
    if (family.documents.size() == rows_.size()) {
      return linear::train_group(rows_, features_.size(), positives, options_);
    }
    const Excerpt excerpt = take(rows_, family.documents, features_.size());
    for (Documents& documents : positives) {
      for (uint32_t& document : documents) {
        const auto place = std::lower_bound(family.documents.begin(), family.documents.end(), document);
        document = static_cast<uint32_t>(place - family.documents.begin());
      }
    }
    GroupWeights group = linear::train_group(excerpt.rows, excerpt.features.size(), positives, options_);
    for (ClassifierWeight& one : group.weights) one.feature = excerpt.features[one.feature];
    return group;
  }

  // For each node of the level the documents that belong to it, and those that its classifier takes for its own.
  std::vector<Documents> match(size_t level, const WeightColumns& weights) const {
    const size_t most = std::min(kMatchedClusters, tree_[level].size());
    std::vector<Documents> matched(tree_[level].size());
    constexpr size_t kTogether = 256;
    using Block = std::vector<std::vector<int32_t>>;
    const size_t blocks = (rows_.size() + kTogether - 1) / kTogether;
    parallel_for_in_groups(
        static_cast<int64_t>(blocks),
        [&](int64_t block) {
          Block own;
          const size_t begin = block * kTogether, end = std::min(begin + kTogether, rows_.size());
          std::vector<Feature> row;
          std::vector<std::pair<float, int32_t>> order(tree_[level].size());
          for (size_t i = begin; i < end; ++i) {
            row.clear();
            for (int64_t j = 0; j < rows_[i].size; ++j) row.push_back({rows_[i].features[j], rows_[i].values[j]});
            const std::vector<float> margins = weights.margins(row);
            for (size_t node = 0; node < order.size(); ++node) {
              order[node] = {-margins[node], static_cast<int32_t>(node)};
            }
            std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(most), order.end());
            std::vector<int32_t>& best = own.emplace_back();
            for (size_t k = 0; k < most; ++k) best.push_back(order[k].second);
          }
          return own;
        },
        [&](int64_t block, const Block& own) {
          for (size_t i = 0; i < own.size(); ++i) {
            for (const int32_t node : own[i]) matched[node].push_back(static_cast<uint32_t>(block * kTogether + i));
          }
        });
    for (size_t node = 0; node < matched.size(); ++node) matched[node] = merged(matched[node], positives_[level][node]);
    return matched;
  }

  NgramFeatures features_;
  FeatureRows rows_;
  OneVsRestOptions options_;
  const LinearProgress& progress_;
  LabelTree tree_;
  std::vector<std::vector<Documents>> positives_;  // [levels][nodes]
  size_t done_ = 0, total_ = 0;
};

}  // namespace

LinearModel train_linear(const Dataset& documents, size_t word_ids, const LinearConfig& config, uint64_t seed,
                         const LinearProgress& progress) {
  LinearModel model = LinearTraining(documents, word_ids, config, seed, progress).run();
  return config.neighbours ? model.with(NearestDocuments::from_documents(documents, model.features())) : model;
}

}  // namespace otseq2set::inline linear
