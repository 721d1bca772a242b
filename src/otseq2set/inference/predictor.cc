#include "otseq2set/inference/predictor.h"

#include <algorithm>
#include <numeric>

#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline inference {

namespace {

bool better(const ScoredLabel& a, const ScoredLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

// The k best labels and all whose score reaches `floor`.
std::vector<ScoredLabel> best_labels(const std::vector<float>& scores, size_t k, float floor) {
  const size_t labels = scores.size();
  std::vector<ScoredLabel> found;
  for (size_t i = 0; i < labels; ++i) {
    if (scores[i] >= floor) found.push_back({static_cast<int32_t>(i), scores[i]});
  }
  k = std::min(k, labels);
  if (found.size() < k) {
    found.clear();
    for (size_t i = 0; i < labels; ++i) found.push_back({static_cast<int32_t>(i), scores[i]});
    std::partial_sort(found.begin(), found.begin() + static_cast<int64_t>(k), found.end(), better);
    found.resize(k);
  } else {
    std::sort(found.begin(), found.end(), better);
  }
  return found;
}

std::vector<ScoredLabel> scored(const std::vector<int32_t>& set, const std::vector<float>& scores) {
  std::vector<ScoredLabel> labels;
  for (const int32_t label : set) labels.push_back({label, scores[label]});
  std::sort(labels.begin(), labels.end(), better);
  return labels;
}

// Where scores fall below the threshold, in labels that stand best first.
template <typename Labels>
auto end_of_reached(Labels& labels, float threshold) {
  return std::find_if(labels.begin(), labels.end(), [&](const ScoredLabel& label) { return label.score < threshold; });
}

constexpr float kNoFloor = 2;  // above every score

Answer answer(const DecodedDocument& decoded, const AnswerRule& rule, const SetRule& own) {
  const std::vector<float>& scores = decoded.scores();
  // As a float, so that a score that was printed and is given back as the threshold is reached.
  const std::optional<float> threshold = rule.threshold;
  if (rule.top_k) {
    Answer labels = best_labels(scores, *rule.top_k, kNoFloor);
    if (threshold) labels.erase(end_of_reached(labels, *threshold), labels.end());
    return labels;
  }
  if (threshold || (!rule.greedy && own.kind == SetRule::Kind::kThreshold)) {
    return best_labels(scores, 0, threshold.value_or(own.threshold));
  }
  Answer labels = scored(decoded.set(), scores);
  if (!rule.greedy && own.kind == SetRule::Kind::kGreedyThreshold) {
    labels.erase(end_of_reached(labels, own.threshold), labels.end());
  }
  return labels;
}

// The attention of the label's best step over the document's own words; all zero when it fell on padding alone.
std::vector<float> word_weights(const DecodedDocument& decoded, size_t words, int32_t label) {
  const std::vector<float>& look = decoded.attention(label);
  std::vector<float> weights(look.begin(), look.begin() + static_cast<ptrdiff_t>(words));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0) return weights;
  for (float& weight : weights) weight = static_cast<float>(weight / sum);
  return weights;
}

Engine load_engine(const ModelDescription& description, const ModelFolder& folder, int64_t beam) {
  if (beam > 1 && !variant_of(description.config).sequence) {
    fail_usage("{}: beam search is for the sequence models (seq2seq, mlc2seq, sgm, seq2seq_lc), this is {}",
               folder.path(), description.config.variant);
  }
  const auto word_ids = static_cast<int64_t>(description.words.ids());
  const int64_t label_ids = static_cast<int64_t>(description.labels.size()) + kFirstLabel;
  return {description.config, label_ids, ModelWeights::open(folder.weights(), word_ids, label_ids, description.config),
          beam};
}

}  // namespace

std::vector<int32_t> ScoredDocument::set(const SetRule& rule) const {
  const auto& from = rule.kind == SetRule::Kind::kThreshold ? best : greedy;
  const auto end = rule.kind == SetRule::Kind::kGreedy ? from.end() : end_of_reached(from, rule.threshold);
  std::vector<int32_t> labels;
  for (auto label = from.begin(); label != end; ++label) labels.push_back(label->label);
  return labels;
}

Predictor::Predictor(const ModelFolder& folder, int64_t beam)
    : description_(load_description(folder)),
      set_rule_(load_set_rule(folder)),
      tokenizer_(Tokenizer::make(description_.config.text.tokenizer)),
      engine_(load_engine(description_, folder, beam)) {}

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
  std::vector<Answer> answers(documents.size());
  engine_.decode(documents, /*with_attention=*/false, [&](size_t document, const DecodedDocument& decoded) {
    answers[document] = answer(decoded, rule, set_rule_);
  });
  return answers;
}

std::vector<AttentiveAnswer> Predictor::predict_with_attention(const std::vector<Span<const int32_t>>& documents,
                                                               const std::vector<AnswerRule>& rules,
                                                               size_t most_labels) const {
  std::vector<AttentiveAnswer> answers(documents.size());
  engine_.decode(documents, most_labels > 0, [&](size_t document, const DecodedDocument& decoded) {
    AttentiveAnswer& own = answers[document];
    own.labels = answer(decoded, rules[document], set_rule_);
    for (size_t i = 0; i < std::min(own.labels.size(), most_labels); ++i) {
      own.weights.push_back(word_weights(decoded, documents[document].size(), own.labels[i].label));
    }
  });
  return answers;
}

std::vector<std::vector<float>> Predictor::scores(const std::vector<Span<const int32_t>>& documents) const {
  std::vector<std::vector<float>> result(documents.size());
  engine_.decode(documents, /*with_attention=*/false,
                 [&](size_t document, const DecodedDocument& decoded) { result[document] = decoded.scores(); });
  return result;
}

std::vector<std::vector<float>> Predictor::scores(const std::vector<Span<const int32_t>>& documents,
                                                  const std::vector<std::vector<int32_t>>& labels) const {
  std::vector<std::vector<float>> result(documents.size());
  engine_.decode(documents, /*with_attention=*/false, [&](size_t document, const DecodedDocument& decoded) {
    for (int32_t label : labels[document]) result[document].push_back(decoded.scores()[label]);
  });
  return result;
}

std::vector<ScoredDocument> Predictor::score(const std::vector<Span<const int32_t>>& documents, size_t k,
                                             float floor) const {
  std::vector<ScoredDocument> results(documents.size());
  engine_.decode(documents, /*with_attention=*/false, [&](size_t document, const DecodedDocument& decoded) {
    results[document] = {scored(decoded.set(), decoded.scores()), best_labels(decoded.scores(), k, floor)};
  });
  return results;
}

}  // namespace otseq2set::inline inference
