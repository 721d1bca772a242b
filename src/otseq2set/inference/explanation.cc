#include "otseq2set/inference/explanation.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>

#include "otseq2set/core/threads.h"
#include "otseq2set/linear/find_label.h"
#include "otseq2set/reading/line_document_reader.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline inference {

namespace {

// Enough for whole batches, few enough to bound their memory.
constexpr size_t kShortenedTogether = 256;

struct ReadText {
  std::vector<int32_t> ids;   // cut
  std::vector<Token> tokens;  // of these, and the first that was not read
  size_t words_total = 0;     // 0 if it was not asked for
};

// A long text has millions of words, of which a network reads a few hundred. Labels alone need no more of them.
ReadText read_text(const Predictor& predictor, std::string_view text, const ExplainOptions& options) {
  ReadText read;
  if (options.labels > 0) {
    read.words_total = predictor.read(text, read.ids, read.tokens);
  } else {
    read.ids = predictor.read(text);
  }
  return read;
}

// Indexes of the heaviest words, best first.
std::vector<size_t> heaviest(const std::vector<float>& weights, size_t count) {
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    [&](size_t a, size_t b) { return weights[a] != weights[b] ? weights[a] > weights[b] : a < b; });
  order.resize(count);
  return order;
}

// For each label of a document the words (indexes of tokens) it is explained by.
using WordsOfLabels = std::vector<std::vector<size_t>>;

Explanation explain_one(const ReadText& text, const AttentiveAnswer& answer, const WordsOfLabels& words) {
  Explanation explanation;
  explanation.words_total = text.words_total;
  explanation.words_read = text.ids.size();
  explanation.words_unknown = static_cast<size_t>(std::count(text.ids.begin(), text.ids.end(), kUnknownWord));
  if (text.ids.size() < text.tokens.size()) explanation.cut = text.tokens[text.ids.size()].begin;
  for (size_t i = 0; i < answer.labels.size(); ++i) {
    explanation.labels.push_back({answer.labels[i], {}});
    for (size_t word : words[i]) {
      const Token& token = text.tokens[word];
      explanation.labels.back().words.push_back({token.begin, token.end, answer.weights[i][word], {}});
    }
  }
  return explanation;
}

void add_ngrams(const LinearModel& linear, const ReadText& text, const ExplainOptions& options,
                Explanation& explanation) {
  std::vector<int32_t> labels;
  for (const ExplainedLabel& label : explanation.labels) labels.push_back(label.label.label);
  labels.resize(std::min(labels.size(), options.labels));
  const std::vector<std::vector<NgramShare>> shares = linear.shares(text.ids, labels, options.words);
  for (size_t i = 0; i < shares.size(); ++i) {
    for (const NgramShare& ngram : shares[i]) {
      if (ngram.share <= 0) break;
      const size_t place = ngram.places.front();
      explanation.labels[i].ngrams.push_back(
          {text.tokens[place].begin, text.tokens[place + ngram.words - 1].end, ngram.share});
    }
  }
}

void add_neighbours_and_names(const Predictor& predictor, const ReadText& text, Explanation& explanation) {
  if (const auto& nearest = predictor.linear()->nearest()) {
    const Votes votes = nearest->votes(text.ids);
    for (ExplainedLabel& label : explanation.labels) {
      const LabelVote* vote = find_label(votes.labels, label.label.label);
      label.neighbours = vote != nullptr ? vote->share : 0;
    }
  }
  if (predictor.mentions()) {
    const std::vector<Mention> mentions = predictor.mentions()->find(text.ids);
    for (ExplainedLabel& label : explanation.labels) {
      const Mention* mention = find_label(mentions, label.label.label);
      label.name_in_text = mention != nullptr ? mention->share : 0;
    }
  }
}

// A document without one of its words.
struct Shortened {
  size_t text;
  std::string word;
  std::vector<int32_t> ids;
};

void add_shortened(size_t index, const ReadText& text, const WordsOfLabels& words, std::vector<Shortened>& shortened) {
  std::set<std::string> distinct;
  for (const auto& own : words) {
    for (size_t word : own) distinct.insert(text.tokens[word].text);
  }
  for (const std::string& word : distinct) {
    Shortened document{index, word, {}};
    for (size_t i = 0; i < text.ids.size(); ++i) {
      if (text.tokens[i].text != word) document.ids.push_back(text.ids[i]);
    }
    shortened.push_back(std::move(document));
  }
}

void measure_falls(const Predictor& predictor, const std::vector<Shortened>& shortened,
                   const std::vector<ReadText>& read, const std::vector<WordsOfLabels>& words,
                   std::vector<Explanation>& explanations) {
  std::vector<Span<const int32_t>> documents;
  std::vector<std::vector<int32_t>> labels;
  for (const Shortened& document : shortened) {
    documents.emplace_back(document.ids);
    labels.emplace_back();
    for (const ExplainedLabel& label : explanations[document.text].labels) {
      labels.back().push_back(label.label.label);
    }
  }
  const std::vector<std::vector<float>> scores = predictor.scores(documents, labels);
  for (size_t d = 0; d < shortened.size(); ++d) {
    const size_t text = shortened[d].text;
    for (size_t i = 0; i < labels[d].size(); ++i) {
      ExplainedLabel& label = explanations[text].labels[i];
      for (size_t w = 0; w < label.words.size(); ++w) {
        if (read[text].tokens[words[text][i][w]].text != shortened[d].word) continue;
        label.words[w].fall = label.label.score - (shortened[d].ids.empty() ? 0 : scores[d][i]);
      }
    }
  }
}

void leave_out(const Predictor& predictor, const std::vector<ReadText>& read, const std::vector<WordsOfLabels>& words,
               std::vector<Explanation>& explanations) {
  std::vector<Shortened> shortened;
  for (size_t i = 0; i < read.size(); ++i) {
    add_shortened(i, read[i], words[i], shortened);
    if (shortened.size() < kShortenedTogether && i + 1 < read.size()) continue;
    measure_falls(predictor, shortened, read, words, explanations);
    shortened.clear();
  }
}

}  // namespace

std::vector<Explanation> explain(const Predictor& predictor, const std::vector<std::string_view>& texts,
                                 const std::vector<AnswerRule>& rules, const ExplainOptions& options) {
  std::vector<ReadText> read(texts.size());
  parallel_for(static_cast<int64_t>(texts.size()),
               [&](int64_t i) { read[i] = read_text(predictor, texts[i], options); });
  std::vector<Span<const int32_t>> documents;
  for (const ReadText& text : read) documents.emplace_back(text.ids);
  const std::vector<AttentiveAnswer> answers = predictor.predict_with_attention(documents, rules, options.labels);
  std::vector<Explanation> explanations;
  std::vector<WordsOfLabels> words(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    for (const auto& weights : answers[i].weights) words[i].push_back(heaviest(weights, options.words));
    words[i].resize(answers[i].labels.size());
    explanations.push_back(explain_one(read[i], answers[i], words[i]));
    if (predictor.linear() == nullptr || options.labels == 0) continue;
    add_ngrams(*predictor.linear(), read[i], options, explanations.back());
    add_neighbours_and_names(predictor, read[i], explanations.back());
  }
  if (options.leave_out) leave_out(predictor, read, words, explanations);
  return explanations;
}

std::vector<Explanation> explain(const Predictor& predictor, std::vector<Document>& documents, const AnswerRule& rule,
                                 const ExplainOptions& options) {
  std::vector<std::string_view> texts;
  for (const Document& document : documents) {
    if (document.error.empty()) texts.emplace_back(document.text);
  }
  std::vector<Explanation> readable = explain(predictor, texts, std::vector<AnswerRule>(texts.size(), rule), options);
  std::vector<Explanation> explanations(documents.size());
  for (size_t i = 0, next = 0; i < documents.size(); ++i) {
    if (!documents[i].error.empty()) continue;
    Explanation& own = readable[next++];
    if (own.words_read > 0) {
      explanations[i] = std::move(own);
    } else {
      set_error(documents[i], {"the document has no words", ErrorKind::kNoText});
    }
  }
  return explanations;
}

}  // namespace otseq2set::inline inference
