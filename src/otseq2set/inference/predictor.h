// Labels for documents: loaded once, const and thread-safe afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "otseq2set/core/span.h"
#include "otseq2set/data/scored_label.h"
#include "otseq2set/model/network.h"
#include "otseq2set/text/tokenizer.h"
#include "otseq2set/training/model_folder.h"

namespace otseq2set {

// Which labels an answer has.
struct AnswerRule {
  std::optional<size_t> top_k;      // the best of all labels by score; a threshold still applies
  std::optional<double> threshold;  // all labels whose score reaches it
  // neither: the paper's greedy set
};

struct Answer {
  std::vector<ScoredLabel> labels;  // by score, best first; ties by index
};

// An answer, and where the model looked for each of its labels: the attention over the words of the step that
// gave the label its highest probability, scaled so that the document's own words sum to 1.
struct AttentiveAnswer {
  std::vector<ScoredLabel> labels;
  std::vector<std::vector<float>> weights;  // [labels, or the best of them][words of the document]
};

class Predictor {
 public:
  explicit Predictor(const ModelFolder& folder);

  const ModelDescription& description() const { return description_; }
  const LabelVocabulary& labels() const { return description_.labels; }

  // Word ids, cut to model.max_words.
  std::vector<int32_t> read(std::string_view text) const;
  // The same; `words` becomes all words of the text with their places, also those behind the cut.
  std::vector<int32_t> read(std::string_view text, std::vector<Token>& words) const;

  // One answer a document, in the order given.
  std::vector<Answer> predict(const std::vector<Span<const int32_t>>& documents,
                              const AnswerRule& rule) const;
  // The same with a rule for each document.
  std::vector<Answer> predict(const std::vector<Span<const int32_t>>& documents,
                              const std::vector<AnswerRule>& rules) const;
  std::vector<AttentiveAnswer> predict_with_attention(const std::vector<Span<const int32_t>>& documents,
                                                      const std::vector<AnswerRule>& rules,
                                                      size_t most_labels) const;

  // The scores of some labels in each document; labels and result: [documents][labels wanted there].
  std::vector<std::vector<float>> scores(const std::vector<Span<const int32_t>>& documents,
                                         const std::vector<std::vector<int32_t>>& labels) const;

  // The greedy set together with the k best of all labels, for evaluation.
  struct SetAndRanking {
    std::vector<int32_t> set;
    std::vector<int32_t> ranking;
  };
  std::vector<SetAndRanking> predict_for_evaluation(const std::vector<Span<const int32_t>>& documents,
                                                    size_t k) const;

 private:
  ModelDescription description_;
  std::unique_ptr<Tokenizer> tokenizer_;
  mutable Network network_;  // LibTorch's forward is not const, but changes nothing
};

}  // namespace otseq2set
