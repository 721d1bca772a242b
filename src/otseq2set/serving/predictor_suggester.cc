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
  explicit PredictorSuggester(const std::string& folder)
      : predictor_(ModelFolder(folder)),
        most_words_(predictor_.linear() != nullptr && predictor_.networks() == 0
                        ? predictor_.description().words_read()
                        : static_cast<size_t>(predictor_.description().config.model.max_words)) {}

  size_t label_count() const override { return predictor_.labels().size(); }

  size_t length(const std::string& text) const override { return std::min(text.size() / kBytesAWord, most_words_); }

  // Starts the threads of the loops and loads ICU's dictionaries: both cannot fail any more when memory is short.
  void warm_up() const override {
    Question question;
    question.text =
        "words, "
        "\u0e04\u0e33 \u0eab\u0e84\u0eb3 \u1796\u17b6\u1780\u17d2\u1799 \u1005\u1000\u102c\u1038 \u6587\u5b57 "
        "\u5358\u8a9e";
    suggest(std::vector<const Question*>(2 * static_cast<size_t>(thread_count()), &question));
  }

  std::vector<Suggestion> suggest(const std::vector<const Question*>& questions) const override {
    std::vector<Suggestion> suggestions(questions.size());
    std::vector<size_t> plain, explained, tested;
    for (size_t i = 0; i < questions.size(); ++i) {
      const Question& question = *questions[i];
      (question.leave_out ? tested : question.explain ? explained : plain).push_back(i);
    }
    answer_some(questions, plain, kWithoutWords, suggestions);
    answer_some(questions, explained, {.labels = kExplainedLabels}, suggestions);
    answer_some(questions, tested, {.leave_out = true, .labels = kLeaveOutLabels}, suggestions);
    return suggestions;
  }

 private:
  // `places`: which of the questions are answered.
  void answer_some(const std::vector<const Question*>& questions, const std::vector<size_t>& places,
                   const ExplainOptions& options, std::vector<Suggestion>& suggestions) const {
    if (places.empty()) return;
    std::vector<std::string_view> texts;
    std::vector<AnswerRule> rules;
    for (size_t place : places) {
      texts.emplace_back(questions[place]->text);
      rules.push_back({questions[place]->limit, questions[place]->threshold});
    }
    const std::vector<Explanation> answers = explain(predictor_, texts, rules, options);
    for (size_t i = 0; i < places.size(); ++i) {
      if (answers[i].words_read == 0) continue;
      const CodePoints place(options.labels > 0 ? texts[i] : "");  // there are none without words
      suggestions[places[i]] = suggestion(answers[i], place);
    }
  }

  Suggestion suggestion(const Explanation& answer, const CodePoints& place) const {
    Suggestion suggestion;
    suggestion.words_total = answer.words_total;
    suggestion.words_read = answer.words_read;
    suggestion.words_unknown = answer.words_unknown;
    if (answer.cut) suggestion.cut = place(*answer.cut);
    for (const ExplainedLabel& explained : answer.labels) {
      const int32_t index = explained.label.label;
      SuggestedLabel label{std::string(predictor_.labels().name(index)),
                           std::string(predictor_.labels().display_name(index)), explained.label.score};
      for (const WordWeight& word : explained.words) {
        label.words.push_back({place(word.begin), place(word.end), word.weight, word.fall});
      }
      for (const NgramReason& ngram : explained.ngrams) {
        label.ngrams.push_back({place(ngram.begin), place(ngram.end), ngram.share});
      }
      label.neighbours = explained.neighbours;
      label.name_in_text = explained.name_in_text;
      suggestion.labels.push_back(std::move(label));
    }
    return suggestion;
  }

  Predictor predictor_;
  size_t most_words_;  // that take time: a network's, if there is one
};

}  // namespace

std::shared_ptr<const Suggester> load_suggester(const std::string& folder) {
  return std::make_shared<PredictorSuggester>(folder);
}

}  // namespace otseq2set::inline serving
