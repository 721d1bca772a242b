// One score of a label from what network and linear model say of it.
//
//   logit of the score = sum of weight * term, over the terms below
//
// The terms are the logit of the network's score and the linear model's margin, how frequent the label is (rare labels
// are scored too low by both, and not by the same amount), and what the models say of the document as a whole: how many
// labels they expect, how sure they are of the best, and which place the label has among the others. If the model has
// them: the votes of the nearest training documents, and how much of the label's name stands in the text. The weights are
// found by logistic regression on documents that no part was trained on. docs/accuracy.md has what each term is worth.
//
// A linear model that has nothing beside it has its margin and a bias alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "otseq2set/linear/label_mentions.h"
#include "otseq2set/linear/nearest_documents.h"
#include "otseq2set/store/manifest.h"
#include "otseq2set/store/model_folder.h"

namespace otseq2set::inline inference {

constexpr std::array<const char*, 26> kJoiningTerms = {
    "bias", "network", "margin", "log_count", "network_log_count", "margin_log_count", "network_margin",
    "log_network_size", "log_linear_size", "best_network", "best_margin", "log_network_rank", "log_margin_rank",
    // of the nearest documents
    "vote", "log_vote", "log_vote_log_count", "vote_margin", "nearest",
    // of the label's name
    "name_share", "name", "name_phrase", "name_log_times", "name_log_count", "name_margin", "name_share_margin",
    "name_weight"};
using JoiningTerms = std::array<double, kJoiningTerms.size()>;

// What is known of a document. Each must outlive the JoinedDocument; null: the model has no such part.
struct Evidence {
  const std::vector<float>* network_scores;
  const std::vector<float>* margins;
  const std::vector<double>* log_counts;  // of the labels' training documents
  const Votes* votes = nullptr;
  const std::vector<Mention>* mentions = nullptr;
};

// The terms of one document's labels.
class JoinedDocument {
 public:
  explicit JoinedDocument(const Evidence& evidence);

  JoiningTerms terms(size_t label) const;
  // The labels that some part speaks for, ascending.
  std::vector<int32_t> candidates() const;

 private:
  // The best labels by one model, and what that says of the document.
  struct Ranking {
    explicit Ranking(const std::vector<float>& values);

    std::vector<int32_t> order;   // the best, best first
    std::vector<uint8_t> places;  // of all labels; those behind the best share the next
    float best;
  };

  void add_network_terms(size_t label, JoiningTerms& terms) const;
  void add_vote_terms(size_t label, JoiningTerms& terms) const;
  void add_name_terms(size_t label, JoiningTerms& terms) const;

  Evidence evidence_;
  std::vector<Ranking> rankings_;  // by margin; by the network's score, if there is one
  double log_network_size_ = 0, log_linear_size_ = 0;
};

// Of each count, and 0 for a label that no document has.
std::vector<double> log_counts(const std::vector<uint64_t>& counts);

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

// joining.json, an object of all terms; those of later versions may be missing.
void save_joining(const ModelFolder& folder, const ScoreJoining& joining);
// The usual weights when the folder has none.
ScoreJoining load_joining(const ModelFolder& folder, const Manifest& manifest);

}  // namespace otseq2set::inline inference
