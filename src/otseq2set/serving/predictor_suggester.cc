#include "otseq2set/serving/predictor_suggester.h"

#include <algorithm>

#include "otseq2set/core/threads.h"
#include "otseq2set/inference/explanation.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/text/code_points.h"

namespace otseq2set::inline serving {

namespace {

constexpr size_t kBytesAWord = 6;
// Labels of an answer: who asks for all of them shall not have each explained.
constexpr size_t kExplainedLabels = 100;
constexpr size_t kLeaveOutLabels = 20;  // each costs up to ten predictions

class PredictorSuggester : public Suggester {
 public:
  explicit PredictorSuggester(const std::string& folder) : predictor_(ModelFolder(folder)) {}

  size_t label_count() const override { return predictor_.labels().size(); }

  size_t length(const std::string& text) const override {
    const auto most = static_cast<size_t>(predictor_.description().config.model.max_words);
    return std::min(text.size() / kBytesAWord, most);
  }

  std::vector<Suggestion> suggest(const std::vector<const Question*>& questions) const override {
    std::vector<Suggestion> suggestions(questions.size());
    std::vector<size_t> plain, explained, tested;
    for (size_t i = 0; i < questions.size(); ++i) {
      const Question& question = *questions[i];
      (question.leave_out ? tested : question.explain ? explained : plain).push_back(i);
    }
    predict_some(questions, plain, suggestions);
    explain_some(questions, explained, /*leave_out=*/false, suggestions);
    explain_some(questions, tested, /*leave_out=*/true, suggestions);
    return suggestions;
  }

 private:
  using Questions = std::vector<const Question*>;

  // `places`: which of the questions are answered.
  void predict_some(const Questions& questions, const std::vector<size_t>& places,
                    std::vector<Suggestion>& suggestions) const {
    const std::vector<std::vector<int32_t>> words = read(questions, places);
    std::vector<size_t> answered;
    std::vector<Span<const int32_t>> documents;
    std::vector<AnswerRule> rules;
    for (size_t i = 0; i < places.size(); ++i) {
      if (words[i].empty()) continue;
      answered.push_back(places[i]);
      documents.emplace_back(words[i]);
      rules.push_back(rule(*questions[places[i]]));
    }
    const std::vector<Answer> answers = predictor_.predict(documents, rules);
    for (size_t i = 0; i < answered.size(); ++i) {
      for (const ScoredLabel& label : answers[i].labels)
        suggestions[answered[i]].labels.push_back(named(label));
    }
  }

  void explain_some(const Questions& questions, const std::vector<size_t>& places, bool leave_out,
                    std::vector<Suggestion>& suggestions) const {
    if (places.empty()) return;
    std::vector<std::string_view> texts;
    std::vector<AnswerRule> rules;
    for (size_t place : places) {
      texts.emplace_back(questions[place]->text);
      rules.push_back(rule(*questions[place]));
    }
    ExplainOptions options;
    options.leave_out = leave_out;
    options.labels = leave_out ? kLeaveOutLabels : kExplainedLabels;
    const std::vector<Explanation> explanations = explain(predictor_, texts, rules, options);
    for (size_t i = 0; i < places.size(); ++i) {
      if (explanations[i].words_read > 0) suggestions[places[i]] = with_words(texts[i], explanations[i]);
    }
  }

  std::vector<std::vector<int32_t>> read(const Questions& questions,
                                         const std::vector<size_t>& places) const {
    std::vector<std::vector<int32_t>> words(places.size());
    parallel_for(static_cast<int64_t>(places.size()),
                 [&](int64_t i) { words[i] = predictor_.read(questions[places[i]]->text); });
    return words;
  }

  static AnswerRule rule(const Question& question) { return {question.limit, question.threshold}; }

  SuggestedLabel named(const ScoredLabel& label) const {
    return {std::string(predictor_.labels().name(label.label)),
            std::string(predictor_.labels().display_name(label.label)),
            label.score,
            {}};
  }

  Suggestion with_words(std::string_view text, const Explanation& explanation) const {
    const CodePoints place(text);
    Suggestion suggestion;
    suggestion.words_total = explanation.words_total;
    suggestion.words_read = explanation.words_read;
    if (explanation.cut) suggestion.cut = place(*explanation.cut);
    for (const ExplainedLabel& label : explanation.labels) {
      suggestion.labels.push_back(named(label.label));
      for (const WordWeight& word : label.words) {
        suggestion.labels.back().words.push_back(
            {place(word.begin), place(word.end), word.weight, word.fall});
      }
    }
    return suggestion;
  }

  Predictor predictor_;
};

}  // namespace

std::shared_ptr<const Suggester> load_suggester(const std::string& folder) {
  return std::make_shared<PredictorSuggester>(folder);
}

}  // namespace otseq2set::inline serving
