// From texts to labels: what predict, explain and the server answer.
//
// And why a label? The words of the text that led to it, so that a person can check the suggestion.
//
//   step    t = argmax_t P_t[label]                              that gave the label its highest probability
//   weight  w_i = a_ti / sum over the document's words of a_tj   where that step looked (paper, eq. 4-6)
//
// The decoder looks twice: at the words' states, and at LightConv's, each of which covers a window of words
// (52 with the paper's kernels). The weights are those of the first look. The second cannot tell the words of
// a window apart, and the model has no proportion in which the two looks would mix: their contexts enter the
// network side by side. Padding words that fill up a short document are no words of the text: their share is
// left out, and the rest sums to 1.
//
// A look is a hint and no proof: what the state of a word knows comes from its neighbours too. Leaving out is
// the test: how far does the label's score fall when the word is taken out of what the model read, at all its
// places? What was cut off does not move up. Without its only word a document has no labels: their scores
// fall to 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "otseq2set/evaluation/scored_label.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/reading/document.h"

namespace otseq2set::inline inference {

// One place of a word in the text.
struct WordWeight {
  size_t begin, end;          // the bytes [begin, end) of the raw text
  float weight;               // over all words that the model read, they sum to 1
  std::optional<float> fall;  // with leave_out: the label's score less its score without this word
};

// A word or a pair of neighbouring words, and what it adds to the linear model's margin of a label. That is exact: with
// those that are not shown and the bias they sum to the margin.
struct NgramReason {
  size_t begin, end;  // the bytes [begin, end) of the raw text, at its first place
  float share;
};

struct ExplainedLabel {
  ScoredLabel label;
  std::vector<WordWeight> words;         // by weight, best first; ties in the order of the text
  std::vector<NgramReason> ngrams = {};  // of a model with a linear part: those that speak for the label, largest first
  // If the model has linear.neighbours: the share of votes that the nearest training documents give the label.
  std::optional<float> neighbours = {};
  std::optional<float> name_in_text = {};  // with linear.names: the share of its name's words that the text has
};

struct Explanation {
  std::vector<ExplainedLabel> labels;  // the answer, by score, best first
  size_t words_total = 0;              // of the text; not counted for labels alone
  size_t words_read = 0;               // 0: the text has no words, and the labels no reasons
  size_t words_unknown = 0;            // of these, to the model
  std::optional<size_t> cut;           // the word at this byte and all behind it were not read (model.max_words)
};

struct ExplainOptions {
  size_t words = 10;         // the best of each label, and as many n-grams
  bool leave_out = false;    // costs a prediction for each different word among them
  size_t labels = SIZE_MAX;  // of an answer, the best; those behind them have no words
};
constexpr ExplainOptions kWithoutWords = {0, false, 0};  // labels alone, for which no attention is kept

// One explanation a text, in the order given, with the labels that predict gives by the text's rule.
// Thread-safe, like the predictor.
std::vector<Explanation> explain(const Predictor& predictor, const std::vector<std::string_view>& texts,
                                 const std::vector<AnswerRule>& rules, const ExplainOptions& options);

// The same for documents as they were read: an explanation without labels for one that has an error. That it
// has no words becomes an error of a document.
std::vector<Explanation> explain(const Predictor& predictor, std::vector<Document>& documents, const AnswerRule& rule,
                                 const ExplainOptions& options);

}  // namespace otseq2set::inline inference
