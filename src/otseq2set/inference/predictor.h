// Labels for documents: loaded once, const and thread-safe afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "otseq2set/core/span.h"
#include "otseq2set/evaluation/scored_label.h"
#include "otseq2set/evaluation/set_rule.h"
#include "otseq2set/inference/engine.h"
#include "otseq2set/inference/label_scores.h"
#include "otseq2set/inference/score_joining.h"
#include "otseq2set/linear/linear_model.h"
#include "otseq2set/store/manifest.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/text/tokenizer.h"

namespace otseq2set::inline inference {

// Which labels an answer has.
struct AnswerRule {
  std::optional<size_t> top_k;      // the best of all labels by score; a threshold still applies
  std::optional<double> threshold;  // all labels whose score reaches it
  bool greedy = false;              // the paper's greedy set
  // none of them: by the model's own set rule
};

using Answer = std::vector<ScoredLabel>;  // by score, best first; ties by index

// What a document's answer is chosen from.
struct ScoredDocument {
  std::vector<ScoredLabel> greedy;  // the greedy set
  std::vector<ScoredLabel> best;    // the best of all labels; both best first, ties by index

  // The set by a rule, best first. `best` must reach down to the rule's threshold.
  Answer answer(const SetRule& rule) const;
  std::vector<int32_t> set(const SetRule& rule) const;  // without scores
};

// An answer, and which words led to each of its labels: the attention over the words of the step that gave the label its
// highest probability, scaled so that the document's own words sum to 1. Of a linear model without a network, the words'
// shares of the margin as far as they speak for the label, scaled likewise.
struct AttentiveAnswer {
  Answer labels;
  std::vector<std::vector<float>> weights;  // [labels, or the best of them][words of the document, or its first]
};

class Predictor {
 public:
  // A beam above 1 searches for a likely sequence instead of decoding greedily; a UsageError when the model
  // is no sequence model. All of the model is in memory then, and what becomes of the folder does not matter.
  explicit Predictor(const ModelFolder& folder, int64_t beam = 1);

  const ModelDescription& description() const { return description_; }
  const SetRule& set_rule() const { return set_rule_; }  // that was tuned; greedy if none was
  const LabelVocabulary& labels() const { return description_.labels; }

  // Word ids, cut to what the models read.
  std::vector<int32_t> read(std::string_view text) const;
  // The same; `words` becomes these and the first behind the cut, with their places. Returns how many the text has.
  size_t read(std::string_view text, std::vector<int32_t>& ids, std::vector<Token>& words) const;

  // One answer a document, in the order given.
  std::vector<Answer> predict(const std::vector<Span<const int32_t>>& documents, const AnswerRule& rule) const;
  // The same with a rule for each document, and the words behind the best labels of an answer.
  std::vector<AttentiveAnswer> predict_with_attention(const std::vector<Span<const int32_t>>& documents,
                                                      const std::vector<AnswerRule>& rules, size_t most_labels) const;

  // The scores of all labels, [documents][labels].
  std::vector<std::vector<float>> scores(const std::vector<Span<const int32_t>>& documents) const;
  // The scores of some labels in each document; labels and result: [documents][labels wanted there].
  std::vector<std::vector<float>> scores(const std::vector<Span<const int32_t>>& documents,
                                         const std::vector<std::vector<int32_t>>& labels) const;

  // One a document, in the order given; `best` has the k best labels and all whose score reaches `floor`.
  std::vector<ScoredDocument> score(const std::vector<Span<const int32_t>>& documents, size_t k, float floor) const;

  const LinearModel* linear() const { return linear_.get(); }                 // null if there is only a network
  const std::optional<LabelMentions>& mentions() const { return mentions_; }  // if names count
  size_t networks() const { return engines_.size(); }

  // How the models' scores are best joined, by documents that they were not trained on.
  ScoreJoining fit_joining(const std::vector<Span<const int32_t>>& documents,
                           const std::vector<Span<const int32_t>>& truths) const;

 private:
  // What the files of the folder make.
  struct Parts {
    ModelDescription description;
    SetRule set_rule;
    std::vector<std::unique_ptr<const Engine>> engines;
    std::unique_ptr<const LinearModel> linear;
    ScoreJoining joining;
  };
  static Parts load(const ModelFolder& folder, const Manifest& manifest, int64_t beam);
  static Parts load_undisturbed(const ModelFolder& folder, int64_t beam);
  explicit Predictor(Parts parts);

  // What is asked of the models.
  struct Question {
    bool with_attention = false;
    std::optional<size_t> best = {};  // about so many of the best labels; none: the scores of all
  };
  // What the models say of a document.
  struct Said {
    const std::vector<int32_t>& set;  // the greedy one; of a linear model alone, what it finds likelier than not
    const LabelScores& scores;
    const std::vector<float>* all_scores;  // null if only the best were asked for and a network alone answers
    const DecodedSteps* network;           // null if there is none; of an ensemble the first
    const JoinedDocument* joined;          // null if there is no linear model
  };
  using Use = std::function<void(size_t document, const Said& said)>;
  void ask(const std::vector<Span<const int32_t>>& documents, const Question& question, const Use& use) const;
  void ask_network(const std::vector<Span<const int32_t>>& documents, const Question& question, const Use& use) const;
  void ask_all(const std::vector<Span<const int32_t>>& documents, bool with_attention, const Use& use) const;
  void ask_linear(size_t document, Span<const int32_t> words, const DecodedDocument* network,
                  const std::vector<float>* network_scores, const Use& use) const;
  // Of a document, what the network knows.
  std::vector<int32_t> for_network(Span<const int32_t> words) const;
  std::vector<float> word_weights(const Said& said, Span<const int32_t> words, int32_t label) const;

  ModelDescription description_;
  SetRule set_rule_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::vector<std::unique_ptr<const Engine>> engines_;  // none if the model is linear alone; several: an ensemble
  std::unique_ptr<const LinearModel> linear_;           // null if there is only a network
  std::optional<LabelMentions> mentions_;               // if names count
  std::vector<double> log_counts_;                      // of the labels
  ScoreJoining joining_;
};

}  // namespace otseq2set::inline inference
