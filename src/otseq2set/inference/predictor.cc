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
  } else if (threshold || (!rule.greedy && own.kind == SetRule::Kind::kThreshold)) {
    answer.labels = best_labels(scores, labels, 0, threshold.value_or(own.threshold));
  } else {
    answer.labels = scored(greedy, scores);
    if (!rule.greedy && own.kind == SetRule::Kind::kGreedyThreshold) {
      answer.labels.erase(end_of_reached(answer.labels, own.threshold), answer.labels.end());
    }
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
void score_documents(Network& network, const PackedDecoder* packed,
                     const std::vector<Span<const int32_t>>& documents, const Config& config, int64_t beam,
                     const Use& use) {
  decode_documents(
      network, packed, documents, config, beam, [&](const std::vector<size_t>& rows, const Decoded& decoded) {
        const torch::Tensor scores = label_scores(decoded, variant_of(config));  // [rows, labels]
        for (size_t i = 0; i < rows.size(); ++i) {
          const auto row = static_cast<int64_t>(i);
          use(rows[i], Scored{decoded, row, scores.data_ptr<float>() + row * scores.size(1)});
        }
      });
}

// The attention of the label's best step over the document's own words;
// all zero when it fell on padding alone.
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
      beam_(beam),
      tokenizer_(Tokenizer::make(description_.config.text.tokenizer)),
      network_(load_network(description_, folder.weights())) {
  if (beam > 1 && !variant_of(description_.config).sequence) {
    fail_usage("{}: beam search is for the sequence models (seq2seq, mlc2seq, sgm, seq2seq_lc), this is {}",
               folder.path(), description_.config.variant);
  }
  if (beam == 1) packed_ = network_->decoder()->packed();
  if (packed_) network_->decoder()->release_output_weight();
}

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
  score_documents(network_, packed_.get(), documents, description_.config, beam_,
                  [&](size_t document, const Scored& scored) {
                    answers[document] = answer(label_set(scored.decoded, scored.row, variant), scored.scores,
                                               labels().size(), rules[document], set_rule_);
                  });
  return answers;
}

std::vector<AttentiveAnswer> Predictor::predict_with_attention(
    const std::vector<Span<const int32_t>>& documents, const std::vector<AnswerRule>& rules,
    size_t most_labels) const {
  const Variant variant = variant_of(description_.config);
  std::vector<AttentiveAnswer> answers(documents.size());
  score_documents(network_, packed_.get(), documents, description_.config, beam_,
                  [&](size_t document, const Scored& scored) {
                    AttentiveAnswer& own = answers[document];
                    own.labels = answer(label_set(scored.decoded, scored.row, variant), scored.scores,
                                        labels().size(), rules[document], set_rule_)
                                     .labels;
                    for (size_t i = 0; i < std::min(own.labels.size(), most_labels); ++i) {
                      own.weights.push_back(
                          word_weights(scored, documents[document].size(), own.labels[i].label, variant));
                    }
                  });
  return answers;
}

std::vector<std::vector<float>> Predictor::scores(const std::vector<Span<const int32_t>>& documents,
                                                  const std::vector<std::vector<int32_t>>& labels) const {
  std::vector<std::vector<float>> result(documents.size());
  score_documents(network_, packed_.get(), documents, description_.config, beam_,
                  [&](size_t document, const Scored& scored) {
                    for (int32_t label : labels[document]) result[document].push_back(scored.scores[label]);
                  });
  return result;
}

std::vector<ScoredDocument> Predictor::score(const std::vector<Span<const int32_t>>& documents, size_t k,
                                             float floor) const {
  const Variant variant = variant_of(description_.config);
  std::vector<ScoredDocument> results(documents.size());
  score_documents(network_, packed_.get(), documents, description_.config, beam_,
                  [&](size_t document, const Scored& found) {
                    results[document] = {scored(label_set(found.decoded, found.row, variant), found.scores),
                                         best_labels(found.scores, labels().size(), k, floor)};
                  });
  return results;
}

}  // namespace otseq2set
