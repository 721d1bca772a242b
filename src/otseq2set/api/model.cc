#include "otseq2set/model.h"

#include <algorithm>
#include <span>

#include "otseq2set/api/quality.h"
#include "otseq2set/api/settings_of.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/thread_limits.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/inference/explanation.h"
#include "otseq2set/inference/scored_dataset.h"
#include "otseq2set/inference/tuning.h"
#include "otseq2set/reading/given_documents.h"
#include "otseq2set/store/parameters.h"

namespace otseq2set::inline v1 {

namespace {

constexpr size_t kTogether = 1024;  // texts whose words are in memory at a time

AnswerRule rule_of(const Choice& choice) {
  if (choice.greedy && (choice.top_k || choice.threshold)) {
    fail_usage("greedy cannot be combined with top_k or threshold");
  }
  if (choice.threshold && !(*choice.threshold >= 0 && *choice.threshold <= 1)) {
    fail_usage("the threshold is {}, but must be from 0 to 1", *choice.threshold);
  }
  return {choice.top_k, choice.threshold, choice.greedy};
}

// With top_k, the set is the beginning of it.
SetRule set_rule_of(const AnswerRule& rule, const SetRule& own) {
  if (rule.greedy) return {};
  if (rule.threshold) return {SetRule::Kind::kThreshold, static_cast<float>(*rule.threshold)};
  return rule.top_k ? SetRule{SetRule::Kind::kThreshold, 0} : own;
}

LabelScore label_score(const ScoredLabel& label) { return {static_cast<size_t>(label.label), label.score}; }

LabelScores label_scores(const std::vector<ScoredLabel>& labels) {
  LabelScores scores(labels.size());
  std::transform(labels.begin(), labels.end(), scores.begin(), label_score);
  return scores;
}

Reasons reasons_of(const Explanation& explanation) {
  Reasons reasons{{}, explanation.words_total, explanation.words_read, explanation.cut};
  if (explanation.words_read == 0) return reasons;
  for (const ExplainedLabel& label : explanation.labels) {
    reasons.labels.push_back({label_score(label.label), {}, {}});
    for (const WordWeight& word : label.words) {
      reasons.labels.back().words.push_back({word.begin, word.end, word.weight, word.fall});
    }
    for (const inference::NgramReason& ngram : label.ngrams) {
      reasons.labels.back().ngrams.push_back({ngram.begin, ngram.end, ngram.share});
    }
  }
  return reasons;
}

int checked_threads(const ModelOptions& options) {
  if (options.threads < 0 || options.threads > kMostThreads) {
    fail_usage("threads is {}, but must be from 0 to {}", options.threads, kMostThreads);
  }
  if (options.beam < 1) fail_usage("beam is {}, but must be 1 or more", options.beam);
  return options.threads;
}

}  // namespace

struct __attribute__((visibility("hidden"))) Model::Loaded {
  Loaded(const std::string& folder, const ModelOptions& options)
      : threads(checked_threads(options)), predictor(ModelFolder(folder), options.beam) {}

  // Calls predict(places, their documents) for portions of the texts, without those that have no words.
  template <typename Text, typename Predict>
  void for_portions(std::span<const Text> texts, const Predict& predict) const {
    const ThreadLimit limit(threads);
    for (size_t begin = 0; begin < texts.size(); begin += kTogether) {
      const auto portion = texts.subspan(begin, std::min(kTogether, texts.size() - begin));
      std::vector<std::vector<int32_t>> words(portion.size());
      parallel_for(static_cast<int64_t>(portion.size()), [&](int64_t i) { words[i] = predictor.read(portion[i]); });
      std::vector<size_t> places;
      std::vector<Span<const int32_t>> documents;
      for (size_t i = 0; i < words.size(); ++i) {
        if (words[i].empty()) continue;
        places.push_back(begin + i);
        documents.emplace_back(words[i]);
      }
      predict(places, documents);
    }
  }

  template <typename Text>
  std::vector<LabelScores> predict(std::span<const Text> texts, const Choice& choice) const {
    const AnswerRule rule = rule_of(choice);
    std::vector<LabelScores> results(texts.size());
    for_portions(texts, [&](const std::vector<size_t>& places, const std::vector<Span<const int32_t>>& documents) {
      const std::vector<Answer> answers = predictor.predict(documents, rule);
      for (size_t i = 0; i < places.size(); ++i) results[places[i]] = label_scores(answers[i]);
    });
    return results;
  }

  template <typename Text>
  std::vector<std::vector<float>> scores(std::span<const Text> texts) const {
    std::vector<std::vector<float>> results(texts.size(), std::vector<float>(predictor.labels().size()));
    for_portions(texts, [&](const std::vector<size_t>& places, const std::vector<Span<const int32_t>>& documents) {
      std::vector<std::vector<float>> scores = predictor.scores(documents);
      for (size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(scores[i]);
    });
    return results;
  }

  std::vector<Reasons> explain(const std::vector<std::string_view>& texts, const Choice& choice,
                               const ExplainChoice& explain_choice) const {
    const ThreadLimit limit(threads);
    const ExplainOptions options{explain_choice.words, explain_choice.leave_out};
    std::vector<Reasons> results;
    for (size_t begin = 0; begin < texts.size(); begin += kTogether) {
      const std::vector<std::string_view> portion(
          texts.begin() + static_cast<ptrdiff_t>(begin),
          texts.begin() + static_cast<ptrdiff_t>(std::min(begin + kTogether, texts.size())));
      const std::vector<AnswerRule> rules(portion.size(), rule_of(choice));
      for (const Explanation& one : otseq2set::explain(predictor, portion, rules, options)) {
        results.push_back(reasons_of(one));
      }
    }
    return results;
  }

  int threads;
  Predictor predictor;
};

Model Model::load(const std::string& folder, const ModelOptions& options) {
  const ThreadLimit limit(checked_threads(options));
  return Model(std::make_shared<const Loaded>(folder, options));
}

LabelScores Model::predict(std::string_view text, const Choice& choice) const {
  return loaded_->predict(std::span<const std::string_view>(&text, 1), choice)[0];
}

std::vector<LabelScores> Model::predict(const std::vector<std::string>& texts, const Choice& choice) const {
  return loaded_->predict(std::span<const std::string>(texts), choice);
}

std::vector<float> Model::scores(std::string_view text) const {
  return loaded_->scores(std::span<const std::string_view>(&text, 1))[0];
}

std::vector<std::vector<float>> Model::scores(const std::vector<std::string>& texts) const {
  return loaded_->scores(std::span<const std::string>(texts));
}

Reasons Model::explain(std::string_view text, const Choice& choice, const ExplainChoice& explain) const {
  return loaded_->explain({text}, choice, explain)[0];
}

std::vector<Reasons> Model::explain(const std::vector<std::string>& texts, const Choice& choice,
                                    const ExplainChoice& explain) const {
  return loaded_->explain({texts.begin(), texts.end()}, choice, explain);
}

Quality Model::evaluate(const Documents& documents, const Choice& choice) const {
  const AnswerRule rule = rule_of(choice);
  const ThreadLimit limit(loaded_->threads);
  const Predictor& predictor = loaded_->predictor;
  const ModelDescription& model = predictor.description();
  const Dataset data = read_dataset(data_files(documents), model);
  const SetRule set_rule = set_rule_of(rule, predictor.set_rule());
  const MetricsOptions options = metrics_options(model.labels, model.data.documents, model.config.evaluation);
  Evaluator evaluator(options);
  ScoredDatasetOptions scored;
  scored.k = std::max(static_cast<size_t>(options.ks.back()), rule.top_k.value_or(0));
  if (set_rule.kind == SetRule::Kind::kThreshold && !rule.top_k) scored.floor = set_rule.threshold;
  score_dataset(predictor, data, scored, [&](size_t document, const ScoredDocument& found) {
    DocumentResult result = document_result(data, document, found, set_rule);
    if (rule.top_k) result.predicted.resize(std::min(*rule.top_k, result.predicted.size()));
    evaluator.add(result);
  });
  return quality_of(evaluator.report());
}

size_t Model::labels() const { return loaded_->predictor.labels().size(); }

Label Model::label(size_t number) const {
  const LabelVocabulary& labels = loaded_->predictor.labels();
  if (number >= labels.size()) fail("there is no label {}, only 0 to {}", number, labels.size() - 1);
  const auto index = static_cast<int32_t>(number);
  return {std::string(labels.name(index)), std::string(labels.display_name(index)), labels.count(index)};
}

std::optional<size_t> Model::find_label(std::string_view id) const {
  const int32_t index = loaded_->predictor.labels().index(id);
  return index < 0 ? std::nullopt : std::optional<size_t>(index);
}

ModelInfo Model::info() const {
  const ModelDescription& description = loaded_->predictor.description();
  const Config& config = description.config;
  ModelInfo info;
  info.variant = config.variant;
  info.set_rule = describe(loaded_->predictor.set_rule());
  info.words = description.words.words();
  info.labels = labels();
  info.steps = static_cast<size_t>(config.model.steps);
  info.max_words = description.words_read();
  info.parameters = static_cast<size_t>(parameter_count(description.word_ids(), description.label_ids(), config));
  info.training_documents = description.data.documents;
  info.validation_documents = description.data.valid_documents;
  info.settings = settings_of(config);
  return info;
}

std::string tune(const std::string& folder, const Documents& documents, const std::string& measure,
                 const ModelOptions& options) {
  const ThreadLimit limit(checked_threads(options));
  const ModelFolder model(folder);
  const Dataset data = read_dataset(data_files(documents), load_description(model));
  const FolderLock lock(model.path());
  join_models(model, data);
  const TunedRule tuned = tune(Predictor(model, options.beam), data, measure);
  save_set_rule(model, tuned);
  return describe(tuned);
}

std::string version() { return OTSEQ2SET_VERSION; }

}  // namespace otseq2set::inline v1
