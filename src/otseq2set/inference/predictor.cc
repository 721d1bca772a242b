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

// One document of those that were decoded together.
struct Scored {
  const Decoded& decoded;
  int64_t row;
  const float* scores;  // [labels]
};

// Calls use(document, scored) for every document, from several threads.
template <typename Use>
void score_documents(Network& network, const std::vector<Span<const int32_t>>& documents,
                     const Config& config, const Use& use) {
  decode_documents(network, documents, config, [&](const std::vector<size_t>& rows, const Decoded& decoded) {
    const torch::Tensor scores = label_scores(decoded, variant_of(config));  // [rows, labels]
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      use(rows[i], Scored{decoded, row, scores.data_ptr<float>() + row * scores.size(1)});
    }
  });
}

// The attention of the label's best step over the document's own words; all zero when it fell on padding
// alone.
std::vector<float> word_weights(const Scored& scored, size_t words, int32_t label, const Variant& variant) {
  const int64_t step = best_step(scored.decoded, scored.row, label, variant);
  const torch::Tensor look =
      scored.decoded.word_weights[scored.row][step].to(torch::kCPU, torch::kFloat32).contiguous();
  const float* begin = look.data_ptr<float>();
  std::vector<float> weights(begin, begin + words);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0) return weights;
  for (float& weight : weights) weight = static_cast<float>(weight / sum);
  return weights;
}

}  // namespace

Predictor::Predictor(const ModelFolder& folder)
    : description_(load_description(folder)),
      tokenizer_(Tokenizer::make(description_.config.text.tokenizer)),
      network_(load_network(description_, folder.weights())) {}

std::vector<int32_t> Predictor::read(std::string_view text) const {
  std::vector<Token> words;
  return read(text, words);
}

std::vector<int32_t> Predictor::read(std::string_view text, std::vector<Token>& words) const {
  tokenizer_->tokenize(text, words);
  std::vector<int32_t> ids(std::min(words.size(), static_cast<size_t>(description_.config.model.max_words)));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = description_.words.id(words[i].text);
  return ids;
}

std::vector<Answer> Predictor::predict(const std::vector<Span<const int32_t>>& documents,
                                       const AnswerRule& rule) const {
  return predict(documents, std::vector<AnswerRule>(documents.size(), rule));
}

std::vector<Answer> Predictor::predict(const std::vector<Span<const int32_t>>& documents,
                                       const std::vector<AnswerRule>& rules) const {
  const Variant variant = variant_of(description_.config);
  std::vector<Answer> answers(documents.size());
  score_documents(network_, documents, description_.config, [&](size_t document, const Scored& scored) {
    answers[document] = answer(label_set(scored.decoded, scored.row, variant), scored.scores, labels().size(),
                               rules[document]);
  });
  return answers;
}

std::vector<AttentiveAnswer> Predictor::predict_with_attention(
    const std::vector<Span<const int32_t>>& documents, const std::vector<AnswerRule>& rules,
    size_t most_labels) const {
  const Variant variant = variant_of(description_.config);
  std::vector<AttentiveAnswer> answers(documents.size());
  score_documents(network_, documents, description_.config, [&](size_t document, const Scored& scored) {
    AttentiveAnswer& own = answers[document];
    own.labels = answer(label_set(scored.decoded, scored.row, variant), scored.scores, labels().size(),
                        rules[document])
                     .labels;
    for (size_t i = 0; i < std::min(own.labels.size(), most_labels); ++i) {
      own.weights.push_back(word_weights(scored, documents[document].size(), own.labels[i].label, variant));
    }
  });
  return answers;
}

std::vector<std::vector<float>> Predictor::scores(const std::vector<Span<const int32_t>>& documents,
                                                  const std::vector<std::vector<int32_t>>& labels) const {
  std::vector<std::vector<float>> result(documents.size());
  score_documents(network_, documents, description_.config, [&](size_t document, const Scored& scored) {
    for (int32_t label : labels[document]) result[document].push_back(scored.scores[label]);
  });
  return result;
}

std::vector<Predictor::SetAndRanking> Predictor::predict_for_evaluation(
    const std::vector<Span<const int32_t>>& documents, size_t k) const {
  const Variant variant = variant_of(description_.config);
  std::vector<SetAndRanking> results(documents.size());
  score_documents(network_, documents, description_.config, [&](size_t document, const Scored& scored) {
    results[document].set = label_set(scored.decoded, scored.row, variant);
    for (const ScoredLabel& best : best_labels(scored.scores, labels().size(), k)) {
      results[document].ranking.push_back(best.label);
    }
  });
  return results;
}

}  // namespace otseq2set
