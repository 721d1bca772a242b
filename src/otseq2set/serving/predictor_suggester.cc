#include "otseq2set/serving/predictor_suggester.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "otseq2set/core/threads.h"
#include "otseq2set/inference/predictor.h"

namespace otseq2set {

namespace {

constexpr size_t kBytesAWord = 6;

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
    const std::vector<std::vector<int32_t>> words = read(questions);
    std::vector<Suggestion> suggestions(questions.size());
    std::vector<size_t> places;
    std::vector<Span<const int32_t>> documents;
    std::vector<AnswerRule> rules;
    for (size_t i = 0; i < questions.size(); ++i) {
      if (words[i].empty()) continue;
      places.push_back(i);
      documents.emplace_back(words[i]);
      rules.push_back({questions[i]->limit, questions[i]->threshold});
    }
    const std::vector<Answer> answers = predictor_.predict(documents, rules);
    for (size_t i = 0; i < places.size(); ++i) suggestions[places[i]] = name(answers[i]);
    return suggestions;
  }

 private:
  std::vector<std::vector<int32_t>> read(const std::vector<const Question*>& questions) const {
    std::vector<std::vector<int32_t>> words(questions.size());
    parallel_for(static_cast<int64_t>(questions.size()),
                 [&](int64_t i) { words[i] = predictor_.read(questions[i]->text); });
    return words;
  }

  Suggestion name(const Answer& answer) const {
    Suggestion suggestion;
    for (const ScoredLabel& label : answer.labels) {
      suggestion.labels.push_back({std::string(predictor_.labels().name(label.label)),
                                   std::string(predictor_.labels().display_name(label.label)),
                                   label.score,
                                   {}});
    }
    return suggestion;
  }

  Predictor predictor_;
};

}  // namespace

std::shared_ptr<const Suggester> load_suggester(const std::string& folder) {
  return std::make_shared<PredictorSuggester>(folder);
}

}  // namespace otseq2set
