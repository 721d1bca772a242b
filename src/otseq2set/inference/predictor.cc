#include "otseq2set/inference/predictor.h"

#include <algorithm>
#include <numeric>

#include "otseq2set/core/threads.h"
#include "otseq2set/model/answer.h"
#include "otseq2set/training/load_network.h"

namespace otseq2set {

namespace {

bool better(const ScoredLabel& a, const ScoredLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

std::vector<ScoredLabel> best_labels(const float* scores, size_t labels, size_t k) {
  std::vector<ScoredLabel> all(labels);
  for (size_t i = 0; i < labels; ++i) all[i] = {static_cast<int32_t>(i), scores[i]};
  k = std::min(k, labels);
  std::partial_sort(all.begin(), all.begin() + static_cast<int64_t>(k), all.end(), better);
  all.resize(k);
  return all;
}

Answer answer(const std::vector<int32_t>& greedy, const float* scores, size_t labels,
              const AnswerRule& rule) {
  Answer answer;
  if (!rule.top_k && !rule.threshold) {
    for (int32_t label : greedy) answer.labels.push_back({label, scores[label]});
    std::sort(answer.labels.begin(), answer.labels.end(), better);
    return answer;
  }
  answer.labels = best_labels(scores, labels, rule.top_k.value_or(labels));
  if (rule.threshold) {
    // As a float, so that a score that was printed and is given back as the threshold is reached.
    const auto threshold = static_cast<float>(*rule.threshold);
    auto below = [&](const ScoredLabel& label) { return label.score < threshold; };
    answer.labels.erase(std::find_if(answer.labels.begin(), answer.labels.end(), below), answer.labels.end());
  }
  return answer;
}

// Calls use(document, greedy set, scores [labels]) for every document, from several threads.
template <typename Use>
void score_documents(Network& network, const std::vector<Span<const int32_t>>& documents,
                     const Config& config, const Use& use) {
  decode_documents(network, documents, config, [&](const std::vector<size_t>& rows, const Decoded& decoded) {
    const torch::Tensor scores = label_scores(decoded, variant_of(config));  // [rows, labels]
    for (size_t i = 0; i < rows.size(); ++i) {
      use(rows[i], label_set(decoded, static_cast<int64_t>(i), variant_of(config)),
          scores.data_ptr<float>() + static_cast<int64_t>(i) * scores.size(1));
    }
  });
}

}  // namespace

Predictor::Predictor(const ModelFolder& folder)
    : description_(load_description(folder)),
      tokenizer_(Tokenizer::make(description_.config.text.tokenizer)),
      network_(load_network(description_, folder.weights())) {}

std::vector<int32_t> Predictor::read(std::string_view text) const {
  std::vector<Token> tokens;
  tokenizer_->tokenize(text, tokens);
  const size_t words = std::min(tokens.size(), static_cast<size_t>(description_.config.model.max_words));
  std::vector<int32_t> ids(words);
  for (size_t i = 0; i < words; ++i) ids[i] = description_.words.id(tokens[i].text);
  return ids;
}

std::vector<Answer> Predictor::predict(const std::vector<Span<const int32_t>>& documents,
                                       const AnswerRule& rule) const {
  return predict(documents, std::vector<AnswerRule>(documents.size(), rule));
}

std::vector<Answer> Predictor::predict(const std::vector<Span<const int32_t>>& documents,
                                       const std::vector<AnswerRule>& rules) const {
  std::vector<Answer> answers(documents.size());
  score_documents(network_, documents, description_.config,
                  [&](size_t document, const std::vector<int32_t>& greedy, const float* scores) {
                    answers[document] = answer(greedy, scores, labels().size(), rules[document]);
                  });
  return answers;
}

std::vector<Predictor::SetAndRanking> Predictor::predict_for_evaluation(
    const std::vector<Span<const int32_t>>& documents, size_t k) const {
  std::vector<SetAndRanking> results(documents.size());
  score_documents(network_, documents, description_.config,
                  [&](size_t document, const std::vector<int32_t>& greedy, const float* scores) {
                    results[document].set = greedy;
                    for (const ScoredLabel& best : best_labels(scores, labels().size(), k)) {
                      results[document].ranking.push_back(best.label);
                    }
                  });
  return results;
}

}  // namespace otseq2set
