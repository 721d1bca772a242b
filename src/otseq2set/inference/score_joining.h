// One score of a label from what network and linear model say of it.
//
//   logit of the score = sum of weight * term, over the terms below
//
// The terms are the logit of the network's score and the linear model's margin, how frequent the label is (rare labels
// are scored too low by both, and not by the same amount), and what the models say of the document as a whole: how many
// labels they expect, how sure they are of the best, and which place the label has among the others. The weights are found
// by logistic regression on documents that neither model was trained on. docs/accuracy.md has what each term is worth.
//
// A linear model without a network has its margin and a bias alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "otseq2set/store/model_folder.h"

namespace otseq2set::inline inference {

constexpr std::array<const char*, 13> kJoiningTerms = {
    "bias",           "network",          "margin",          "log_count",    "network_log_count", "margin_log_count",
    "network_margin", "log_network_size", "log_linear_size", "best_network", "best_margin",       "log_network_rank",
    "log_margin_rank"};
using JoiningTerms = std::array<double, kJoiningTerms.size()>;

// The terms of one document's labels. The scores, margins and counts given must outlive it.
class JoinedDocument {
 public:
  // network_scores: null if there is no network. counts: training documents of each label.
  JoinedDocument(const std::vector<float>* network_scores, const std::vector<float>& margins,
                 const std::vector<uint64_t>& counts);

  JoiningTerms terms(size_t label) const;
  // The labels that are among the best by either model, ascending.
  std::vector<int32_t> candidates() const;

 private:
  // The best labels by one model, and what that says of the document.
  struct Ranking {
    explicit Ranking(const std::vector<float>& values);
    double log_rank(int32_t label) const;

    std::vector<std::pair<int32_t, uint32_t>> places;  // label and place, by label
    float best;
  };

  const std::vector<float>* network_scores_;
  const std::vector<float>& margins_;
  const std::vector<uint64_t>& counts_;
  std::vector<Ranking> rankings_;  // by margin; by the network's score, if there is one
  double log_network_size_ = 0, log_linear_size_ = 0;
};

struct ScoreJoining {
  JoiningTerms weights = {0, 1, 4};  // without documents to find better ones on

  float score(const JoiningTerms& terms) const;
};

class JoiningFit {
 public:
  void add(const JoiningTerms& terms, bool is_true) { examples_.push_back({terms, is_true}); }

  void take(JoiningFit other) { examples_.insert(examples_.end(), other.examples_.begin(), other.examples_.end()); }

  // The likeliest weights for what was added; that of a term that was always 0 is 0.
  ScoreJoining best() const;

 private:
  struct Example {
    JoiningTerms terms;
    bool is_true;
  };
  std::vector<Example> examples_;
};

// joining.json, an object of all terms.
void save_joining(const ModelFolder& folder, const ScoreJoining& joining);
ScoreJoining load_joining(const ModelFolder& folder);  // the usual weights when the folder has none

}  // namespace otseq2set::inline inference
