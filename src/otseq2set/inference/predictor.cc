#include "otseq2set/inference/predictor.h"

#include <algorithm>
#include <numeric>

#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/model/answer.h"
#include "otseq2set/training/load_network.h"

namespace otseq2set {

namespace {

bool better(const ScoredLabel& a, const ScoredLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

// The k best labels and all whose score reaches `floor`.
std::vector<ScoredLabel> best_labels(const float* scores, size_t labels, size_t k, float floor) {
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

std::vector<ScoredLabel> scored(const std::vector<int32_t>& set, const float* scores) {
  std::vector<ScoredLabel> labels;
  for (const int32_t label : set) labels.push_back({label, scores[label]});
  std::sort(labels.begin(), labels.end(), better);
  return labels;
}

// Where scores fall below the threshold, in labels that stand best first.
template <typename Labels>
auto end_of_reached(Labels& labels, float threshold) {
  return std::find_if(labels.begin(), labels.end(),
                      [&](const ScoredLabel& label) { return label.score < threshold; });
}

constexpr float kNoFloor = 2;  // above every score

Answer answer(const std::vector<int32_t>& greedy, const float* scores, size_t labels, const AnswerRule& rule,
              const SetRule& own) {
  // As a float, so that a score that was printed and is given back as the threshold is reached.
  const std::optional<float> threshold = rule.threshold;
  Answer answer;
  if (rule.top_k) {
    answer.labels = best_labels(scores, labels, *rule.top_k, kNoFloor);
    if (threshold) answer.labels.erase(end_of_reached(answer.labels, *threshold), answer.labels.end());
  } else if (threshold || (!rule.greedy && own.kind == SetRule::Kind::threshold)) {
    answer.labels = best_labels(scores, labels, 0, threshold.value_or(own.threshold));
  } else {
    answer.labels = scored(greedy, scores);
    if (!rule.greedy && own.kind == SetRule::Kind::greedy_threshold) {
      answer.labels.erase(end_of_reached(answer.labels, own.threshold), answer.labels.end());
    }
  }
  return answer;
}

// Calls use(document, greedy set, scores [labels]) for every document, from several threads.
template <typename Use>
void score_documents(Network& network, const std::vector<Span<const int32_t>>& documents,
                     const Config& config, int64_t beam, const Use& use) {
  decode_documents(
      network, documents, config, beam, [&](const std::vector<size_t>& rows, const Decoded& decoded) {
        const torch::Tensor scores = label_scores(decoded, variant_of(config));  // [rows, labels]
        for (size_t i = 0; i < rows.size(); ++i) {
          use(rows[i], label_set(decoded, static_cast<int64_t>(i), variant_of(config)),
              scores.data_ptr<float>() + static_cast<int64_t>(i) * scores.size(1));
        }
      });
}

}  // namespace

std::vector<int32_t> ScoredDocument::set(const SetRule& rule) const {
  const auto& from = rule.kind == SetRule::Kind::threshold ? best : greedy;
  const auto end = rule.kind == SetRule::Kind::greedy ? from.end() : end_of_reached(from, rule.threshold);
  std::vector<int32_t> labels;
  for (auto label = from.begin(); label != end; ++label) labels.push_back(label->label);
  return labels;
}

Predictor::Predictor(const ModelFolder& folder, int64_t beam)
    : description_(load_description(folder)),
      set_rule_(load_set_rule(folder)),
      beam_(beam),
      tokenizer_(Tokenizer::make(description_.config.text.tokenizer)),
      network_(load_network(description_, folder.weights())) {
  if (beam > 1 && !variant_of(description_.config).sequence) {
    fail_usage("{}: beam search is for the sequence models (seq2seq, mlc2seq, sgm, seq2seq_lc), this is {}",
               folder.path(), description_.config.variant);
  }
}

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
  std::vector<Answer> answers(documents.size());
  score_documents(network_, documents, description_.config, beam_,
                  [&](size_t document, const std::vector<int32_t>& greedy, const float* scores) {
                    answers[document] = answer(greedy, scores, labels().size(), rule, set_rule_);
                  });
  return answers;
}

std::vector<ScoredDocument> Predictor::score(const std::vector<Span<const int32_t>>& documents, size_t k,
                                             float floor) const {
  std::vector<ScoredDocument> results(documents.size());
  score_documents(
      network_, documents, description_.config, beam_,
      [&](size_t document, const std::vector<int32_t>& greedy, const float* scores) {
        results[document] = {scored(greedy, scores), best_labels(scores, labels().size(), k, floor)};
      });
  return results;
}

}  // namespace otseq2set
