#include "otseq2set/inference/predictor.h"

#include <algorithm>
#include <numeric>

#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"

namespace otseq2set::inline inference {

namespace {

std::vector<ScoredLabel> scored(const std::vector<int32_t>& set, const LabelScores& scores) {
  const std::vector<float> own = scores.of(set);
  std::vector<ScoredLabel> labels;
  for (size_t i = 0; i < set.size(); ++i) labels.push_back({set[i], own[i]});
  std::sort(labels.begin(), labels.end(), better);
  return labels;
}

// Where scores fall below the threshold, in labels that stand best first.
template <typename Labels>
auto end_of_reached(Labels& labels, float threshold) {
  return std::find_if(labels.begin(), labels.end(), [&](const ScoredLabel& label) { return label.score < threshold; });
}

// Documents whose scores by several models are in memory at a time: 64 MB of them, or eight documents.
size_t joined_together(size_t labels) {
  return std::clamp<size_t>((size_t{1} << 24) / std::max<size_t>(labels, 1), 8, 256);
}

constexpr float kNoFloor = 2;  // above every score

Answer answer(const std::vector<int32_t>& greedy, const LabelScores& scores, const AnswerRule& rule,
              const SetRule& own) {
  // As a float, so that a score that was printed and is given back as the threshold is reached.
  const std::optional<float> threshold = rule.threshold;
  if (rule.top_k) {
    Answer labels = scores.best(*rule.top_k, kNoFloor);
    if (threshold) labels.erase(end_of_reached(labels, *threshold), labels.end());
    return labels;
  }
  if (threshold || (!rule.greedy && own.kind == SetRule::Kind::kThreshold)) {
    return scores.best(0, threshold.value_or(own.threshold));
  }
  Answer labels = scored(greedy, scores);
  if (!rule.greedy && own.kind == SetRule::Kind::kGreedyThreshold) {
    labels.erase(end_of_reached(labels, own.threshold), labels.end());
  }
  return labels;
}

// Scaled to a sum of 1; all zero when they were.
void normalise(std::vector<float>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0) return;
  for (float& weight : weights) weight = static_cast<float>(weight / sum);
}

std::vector<std::unique_ptr<const Engine>> load_engines(const ModelDescription& description, const ModelFolder& folder,
                                                        int64_t beam, const Manifest& manifest) {
  const Config& config = description.config;
  if (beam > 1 && !variant_of(config).sequence) {
    fail_usage("{}: beam search is for the sequence models (seq2seq, mlc2seq, sgm, seq2seq_lc), this is {}",
               folder.path(), config.variant);
  }
  const int64_t word_ids = description.word_ids(), label_ids = description.label_ids();
  std::vector<std::unique_ptr<const Engine>> engines;
  for (const NetworkFolder& network : network_folders(folder, config)) {
    const std::string weights = network.folder.weights();
    engines.push_back(std::make_unique<Engine>(
        config, label_ids, ModelWeights::open(weights, word_ids, label_ids, config, vouched_limits(manifest, weights)),
        beam));
  }
  return engines;
}

std::unique_ptr<const LinearModel> load_linear(const ModelDescription& description, const ModelFolder& folder,
                                               const Manifest& manifest) {
  if (!has_linear(description.config)) return nullptr;
  return std::make_unique<LinearModel>(LinearModel::load(
      folder.linear(), description.words.ids(), description.labels.size(), vouched_limits(manifest, folder.linear())));
}

}  // namespace

Answer ScoredDocument::answer(const SetRule& rule) const {
  const auto& from = rule.kind == SetRule::Kind::kThreshold ? best : greedy;
  return {from.begin(), rule.kind == SetRule::Kind::kGreedy ? from.end() : end_of_reached(from, rule.threshold)};
}

std::vector<int32_t> ScoredDocument::set(const SetRule& rule) const {
  std::vector<int32_t> labels;
  for (const ScoredLabel& label : answer(rule)) labels.push_back(label.label);
  return labels;
}

Predictor::Parts Predictor::load(const ModelFolder& folder, const Manifest& manifest, int64_t beam) {
  Parts parts;
  parts.description = load_description(folder, manifest);
  parts.set_rule = load_set_rule(folder, manifest);
  parts.engines = load_engines(parts.description, folder, beam, manifest);
  parts.linear = load_linear(parts.description, folder, manifest);
  parts.joining = load_joining(folder, manifest);
  return parts;
}

// Whoever tunes or replaces the model meanwhile changes the list too: what was read is then of two models.
Predictor::Parts Predictor::load_undisturbed(const ModelFolder& folder, int64_t beam) {
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    const Manifest manifest(folder);
    try {
      return load(folder, manifest, beam);
    } catch (const Error&) {
      if (attempt == kAttempts || Manifest(folder) == manifest) throw;
    }
  }
}

Predictor::Predictor(const ModelFolder& folder, int64_t beam) : Predictor(load_undisturbed(folder, beam)) {}

Predictor::Predictor(Parts parts)
    : description_(std::move(parts.description)),
      set_rule_(parts.set_rule),
      tokenizer_(Tokenizer::make(description_.config.text.tokenizer)),
      engines_(std::move(parts.engines)),
      linear_(std::move(parts.linear)),
      log_counts_(log_counts(labels().counts())),
      joining_(parts.joining) {
  if (linear_ && description_.config.linear.names) {
    mentions_.emplace(labels(), description_.words, *tokenizer_, linear_->features());
  }
}

std::vector<int32_t> Predictor::read(std::string_view text) const {
  const size_t most = description_.words_read();
  std::vector<int32_t> ids;
  const auto add = [&](std::string_view word, size_t, size_t) {
    if (ids.size() < most) ids.push_back(description_.words.id(word));
  };
  tokenizer_->for_each_word(text, add, [&] { return ids.size() == most; });
  return ids;
}

size_t Predictor::read(std::string_view text, std::vector<int32_t>& ids, std::vector<Token>& words) const {
  const size_t most = description_.words_read();
  size_t total = 0;
  ids.clear();
  words.clear();
  tokenizer_->for_each_word(text, [&](std::string_view word, size_t begin, size_t end) {
    if (++total <= most) ids.push_back(description_.words.id(word));
    if (total <= most + 1) words.push_back({std::string(word), begin, end});
  });
  return total;
}

std::vector<int32_t> Predictor::for_network(Span<const int32_t> words) const {
  const Span<const int32_t> read = words.first(static_cast<size_t>(description_.config.model.max_words));
  std::vector<int32_t> ids(read.begin(), read.end());
  for (int32_t& id : ids) id = id < description_.word_ids() ? id : kUnknownWord;
  return ids;
}

void Predictor::ask(const std::vector<Span<const int32_t>>& documents, const Question& question, const Use& use) const {
  if (engines_.empty()) {
    parallel_for(static_cast<int64_t>(documents.size()),
                 [&](int64_t document) { ask_linear(document, documents[document], nullptr, nullptr, use); });
  } else if (engines_.size() == 1 && !linear_) {
    ask_network(documents, question, use);
  } else {
    const size_t together = joined_together(labels().size());
    for (size_t begin = 0; begin < documents.size(); begin += together) {
      const auto first = documents.begin() + static_cast<ptrdiff_t>(begin);
      const auto count = static_cast<ptrdiff_t>(std::min(together, documents.size() - begin));
      ask_all({first, first + count}, question.with_attention,
              [&](size_t document, const Said& said) { use(begin + document, said); });
    }
  }
}

void Predictor::ask_network(const std::vector<Span<const int32_t>>& documents, const Question& question,
                            const Use& use) const {
  const Engine& engine = *engines_[0];
  if (question.best && engine.prefers_best(*question.best)) {
    engine.decode_best(documents, *question.best, question.with_attention,
                       [&](size_t document, const DecodedBest& decoded) {
                         use(document, {decoded.set(), decoded, nullptr, &decoded, nullptr});
                       });
  } else {
    engine.decode(documents, question.with_attention, [&](size_t document, const DecodedDocument& decoded) {
      use(document, {decoded.set(), AllScores(decoded.scores()), &decoded.scores(), &decoded, nullptr});
    });
  }
}

void Predictor::ask_all(const std::vector<Span<const int32_t>>& documents, bool with_attention, const Use& use) const {
  std::vector<std::vector<int32_t>> words;
  for (const auto& document : documents) words.push_back(for_network(document));
  const std::vector<Span<const int32_t>> read(words.begin(), words.end());
  std::vector<std::optional<DecodedDocument>> decoded(documents.size());
  std::vector<std::vector<float>> scores(documents.size());
  for (size_t i = 0; i < engines_.size(); ++i) {
    engines_[i]->decode(read, with_attention && i == 0, [&](size_t document, const DecodedDocument& own) {
      if (i == 0) {
        decoded[document] = own;
        scores[document] = own.scores();
      } else {
        for (size_t label = 0; label < own.scores().size(); ++label) scores[document][label] += own.scores()[label];
      }
    });
  }
  parallel_for(static_cast<int64_t>(documents.size()), [&](int64_t document) {
    for (float& score : scores[document]) score /= static_cast<float>(engines_.size());
    if (linear_) {
      ask_linear(document, documents[document], &*decoded[document], &scores[document], use);
    } else {
      use(document,
          {decoded[document]->set(), AllScores(scores[document]), &scores[document], &*decoded[document], nullptr});
    }
  });
}

void Predictor::ask_linear(size_t document, Span<const int32_t> words, const DecodedDocument* network,
                           const std::vector<float>* network_scores, const Use& use) const {
  const std::vector<float> margins = linear_->margins(words);
  Evidence evidence{network_scores, &margins, &log_counts_};
  Votes votes;
  if (linear_->nearest()) evidence.votes = &(votes = linear_->nearest()->votes(words));
  std::vector<Mention> mentions;
  if (mentions_) evidence.mentions = &(mentions = mentions_->find(words));
  const JoinedDocument joined(evidence);
  std::vector<float> scores(margins.size());
  std::vector<int32_t> likely;
  for (size_t label = 0; label < margins.size(); ++label) {
    scores[label] = joining_.score(joined.terms(label));
    if (scores[label] >= 0.5F) likely.push_back(static_cast<int32_t>(label));
  }
  use(document, {network != nullptr ? network->set() : likely, AllScores(scores), &scores, network, &joined});
}

std::vector<float> Predictor::word_weights(const Said& said, Span<const int32_t> words, int32_t label) const {
  std::vector<float> weights;
  if (said.network != nullptr) {
    const std::vector<float>& look = said.network->attention(label);
    const size_t read = words.first(static_cast<size_t>(description_.config.model.max_words)).size();
    weights.assign(look.begin(), look.begin() + static_cast<ptrdiff_t>(read));
  } else {
    weights.resize(words.size());
    for (const NgramShare& ngram : linear_->shares(words, label)) {
      if (ngram.share <= 0) break;
      const float each = ngram.share / static_cast<float>(ngram.places.size() * ngram.words);
      for (const size_t place : ngram.places) {
        for (size_t i = 0; i < ngram.words; ++i) weights[place + i] += each;
      }
    }
  }
  normalise(weights);
  return weights;
}

std::vector<Answer> Predictor::predict(const std::vector<Span<const int32_t>>& documents,
                                       const AnswerRule& rule) const {
  std::vector<Answer> answers(documents.size());
  ask(documents, {false, rule.top_k.value_or(0)},
      [&](size_t document, const Said& said) { answers[document] = answer(said.set, said.scores, rule, set_rule_); });
  return answers;
}

std::vector<AttentiveAnswer> Predictor::predict_with_attention(const std::vector<Span<const int32_t>>& documents,
                                                               const std::vector<AnswerRule>& rules,
                                                               size_t most_labels) const {
  std::vector<AttentiveAnswer> answers(documents.size());
  size_t best = 0;
  for (const AnswerRule& rule : rules) best = std::max(best, rule.top_k.value_or(0));
  ask(documents, {most_labels > 0, best}, [&](size_t document, const Said& said) {
    AttentiveAnswer& own = answers[document];
    own.labels = answer(said.set, said.scores, rules[document], set_rule_);
    for (size_t i = 0; i < std::min(own.labels.size(), most_labels); ++i) {
      own.weights.push_back(word_weights(said, documents[document], own.labels[i].label));
    }
  });
  return answers;
}

std::vector<std::vector<float>> Predictor::scores(const std::vector<Span<const int32_t>>& documents) const {
  std::vector<std::vector<float>> result(documents.size());
  ask(documents, {}, [&](size_t document, const Said& said) { result[document] = *said.all_scores; });
  return result;
}

std::vector<std::vector<float>> Predictor::scores(const std::vector<Span<const int32_t>>& documents,
                                                  const std::vector<std::vector<int32_t>>& labels) const {
  std::vector<std::vector<float>> result(documents.size());
  ask(documents, {false, 0},
      [&](size_t document, const Said& said) { result[document] = said.scores.of(labels[document]); });
  return result;
}

std::vector<ScoredDocument> Predictor::score(const std::vector<Span<const int32_t>>& documents, size_t k,
                                             float floor) const {
  std::vector<ScoredDocument> results(documents.size());
  ask(documents, {false, k}, [&](size_t document, const Said& said) {
    results[document] = {scored(said.set, said.scores), said.scores.best(k, floor)};
  });
  return results;
}

ScoreJoining Predictor::fit_joining(const std::vector<Span<const int32_t>>& documents,
                                    const std::vector<Span<const int32_t>>& truths) const {
  std::vector<JoiningFit> examples(documents.size());
  ask(documents, {}, [&](size_t document, const Said& said) {
    const Span<const int32_t> truth = truths[document];
    for (const int32_t label : said.joined->candidates()) {
      examples[document].add(said.joined->terms(label), std::find(truth.begin(), truth.end(), label) != truth.end());
    }
  });
  JoiningFit fit;
  for (JoiningFit& own : examples) fit.take(std::move(own));
  return fit.best();
}

}  // namespace otseq2set::inline inference
