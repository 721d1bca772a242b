#include "otseq2set/inference/explanation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>

#include "otseq2set/core/threads.h"
#include "otseq2set/inference/predictor.h"

namespace otseq2set {

namespace {

struct ReadText {
  std::vector<int32_t> ids;   // cut
  std::vector<Token> tokens;  // all
};

// Indexes of the heaviest words, best first.
std::vector<size_t> heaviest(const std::vector<float>& weights, size_t count) {
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
      [&](size_t a, size_t b) { return weights[a] != weights[b] ? weights[a] > weights[b] : a < b; });
  order.resize(count);
  return order;
}

// For each label the words (indexes of tokens) it is explained by.
using WordsOfLabels = std::vector<std::vector<size_t>>;

// Scores of all the answer's labels without a word, for each word among the explanations.
std::map<std::string, std::vector<float>> scores_without(const Predictor& predictor, const ReadText& text,
                                                         const std::vector<ScoredLabel>& answer,
                                                         const WordsOfLabels& words) {
  std::map<std::string, std::vector<float>> scores;
  for (const auto& own : words) {
    for (size_t word : own) scores[text.tokens[word].text];
  }
  std::vector<std::vector<int32_t>> documents;
  for (const auto& item : scores) {
    documents.emplace_back();
    for (size_t i = 0; i < text.ids.size(); ++i) {
      if (text.tokens[i].text != item.first) documents.back().push_back(text.ids[i]);
    }
  }
  std::vector<int32_t> labels;
  for (const ScoredLabel& label : answer) labels.push_back(label.label);
  const auto found = predictor.scores({documents.begin(), documents.end()}, labels);
  size_t next = 0;
  for (auto& item : scores) item.second = found[next++];
  return scores;
}

Explanation explain_one(const Predictor& predictor, const ReadText& text, const AttentiveAnswer& answer,
                        const ExplainOptions& options) {
  Explanation explanation;
  explanation.words_read = text.ids.size();
  if (text.ids.size() < text.tokens.size()) explanation.cut = text.tokens[text.ids.size()].begin;
  WordsOfLabels words;
  for (const auto& weights : answer.weights) words.push_back(heaviest(weights, options.words));
  std::map<std::string, std::vector<float>> without;
  if (options.leave_out) without = scores_without(predictor, text, answer.labels, words);
  for (size_t i = 0; i < answer.labels.size(); ++i) {
    ExplainedLabel own{answer.labels[i], {}};
    for (size_t word : words[i]) {
      const Token& token = text.tokens[word];
      own.words.push_back({token.begin, token.end, answer.weights[i][word], {}});
      if (options.leave_out) own.words.back().fall = own.label.score - without.at(token.text)[i];
    }
    explanation.labels.push_back(std::move(own));
  }
  return explanation;
}

}  // namespace

std::vector<Explanation> explain(const Predictor& predictor, const std::vector<std::string_view>& texts,
                                 const std::vector<AnswerRule>& rules, const ExplainOptions& options) {
  std::vector<ReadText> read(texts.size());
  parallel_for(static_cast<int64_t>(texts.size()),
               [&](int64_t i) { read[i].ids = predictor.read(texts[i], read[i].tokens); });
  std::vector<Span<const int32_t>> documents;
  for (const ReadText& text : read) documents.emplace_back(text.ids);
  const std::vector<AttentiveAnswer> answers = predictor.predict_with_attention(documents, rules);
  std::vector<Explanation> explanations;
  for (size_t i = 0; i < texts.size(); ++i) {
    explanations.push_back(explain_one(predictor, read[i], answers[i], options));
  }
  return explanations;
}

}  // namespace otseq2set
