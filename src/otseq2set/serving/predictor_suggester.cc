#include "otseq2set/serving/predictor_suggester.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>

#include "otseq2set/core/threads.h"
#include "otseq2set/inference/explanation.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/text/code_points.h"

namespace otseq2set {

namespace {

constexpr size_t kBytesAWord = 6;
constexpr size_t kExplainedLabels =
    100;  // of an answer: who asks for all labels shall not have each explained

class PredictorSuggester : public Suggester {
 public:
  explicit PredictorSuggester(const std::string& folder) : predictor_(ModelFolder(folder)) {}

  size_t label_count() const override { return predictor_.labels().size(); }

  size_t length(const std::string& text) const override {
    const auto most = static_cast<size_t>(predictor_.description().config.model.max_words);
    return std::min(text.size() / kBytesAWord, most);
  }

  std::vector<Suggestion> suggest(const std::vector<const Question*>& questions) const override {
    // The number is kept for each thread, and a new one starts with all cores.
    thread_local const bool kSet = (at::set_num_threads(1), true);
    static_cast<void>(kSet);
    std::vector<Suggestion> suggestions(questions.size());
    for (const bool explained : {false, true}) {
      std::vector<size_t> places;
      for (size_t i = 0; i < questions.size(); ++i) {
        if (questions[i]->explain == explained) places.push_back(i);
      }
      if (places.empty()) continue;
      if (explained) {
        explain_some(questions, places, suggestions);
      } else {
        predict_some(questions, places, suggestions);
      }
    }
    return suggestions;
  }

 private:
  void predict_some(const std::vector<const Question*>& questions, const std::vector<size_t>& places,
                    std::vector<Suggestion>& suggestions) const {
    std::vector<std::vector<int32_t>> words(places.size());
    parallel_for(static_cast<int64_t>(places.size()),
                 [&](int64_t i) { words[i] = predictor_.read(questions[places[i]]->text); });
    std::vector<size_t> with_words;
    std::vector<Span<const int32_t>> documents;
    std::vector<AnswerRule> rules;
    for (size_t i = 0; i < places.size(); ++i) {
      if (words[i].empty()) continue;
      with_words.push_back(places[i]);
      documents.emplace_back(words[i]);
      rules.push_back(rule(*questions[places[i]]));
    }
    const std::vector<Answer> answers = predictor_.predict(documents, rules);
    for (size_t i = 0; i < with_words.size(); ++i) {
      for (const ScoredLabel& label : answers[i].labels) {
        suggestions[with_words[i]].labels.push_back(named(label));
      }
    }
  }

  void explain_some(const std::vector<const Question*>& questions, const std::vector<size_t>& places,
                    std::vector<Suggestion>& suggestions) const {
    std::vector<std::string_view> texts;
    std::vector<AnswerRule> rules;
    for (size_t place : places) {
      texts.emplace_back(questions[place]->text);
      rules.push_back(rule(*questions[place]));
    }
    ExplainOptions options;
    options.labels = kExplainedLabels;
    const std::vector<Explanation> explanations = otseq2set::explain(predictor_, texts, rules, options);
    for (size_t i = 0; i < places.size(); ++i) {
      if (explanations[i].words_read == 0) continue;
      const CodePoints place(texts[i]);
      for (const ExplainedLabel& explained : explanations[i].labels) {
        SuggestedLabel label = named(explained.label);
        for (const WordWeight& word : explained.words) {
          label.words.push_back({place(word.begin), place(word.end), word.weight});
        }
        suggestions[places[i]].labels.push_back(std::move(label));
      }
    }
  }

  static AnswerRule rule(const Question& question) { return {question.limit, question.threshold}; }

  SuggestedLabel named(const ScoredLabel& label) const {
    return {std::string(predictor_.labels().name(label.label)),
            std::string(predictor_.labels().display_name(label.label)),
            label.score,
            {}};
  }

  Predictor predictor_;
};

}  // namespace

std::shared_ptr<const Suggester> load_suggester(const std::string& folder) {
  return std::make_shared<PredictorSuggester>(folder);
}

}  // namespace otseq2set
