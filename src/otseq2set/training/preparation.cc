#include "otseq2set/training/preparation.h"

#include <algorithm>
#include <unordered_set>

#include "otseq2set/core/byte_source.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/reading/first_document.h"
#include "otseq2set/reading/given_documents.h"
#include "otseq2set/store/parameters.h"
#include "otseq2set/text/label_words.h"
#include "otseq2set/text/unicode.h"
#include "otseq2set/training/tell.h"

namespace otseq2set::inline training {

namespace {

// The words that a network has vectors for: the first of the vocabulary, which has the most frequent first.
int64_t network_words(const std::vector<uint64_t>& counts, const TextConfig& text) {
  const auto enough = [&](uint64_t count) { return count >= static_cast<uint64_t>(text.min_count); };
  return std::min<int64_t>(std::partition_point(counts.begin(), counts.end(), enough) - counts.begin(),
                           text.vocabulary);
}

// How much of the text, as the model reads it, and how many of its words start with a vector.
void tell_coverage(const TrainingOptions& options, const WordVectors& vectors, const ModelDescription& description,
                   const Dataset& data) {
  std::vector<bool> has_vector(description.word_ids());
  size_t types = 0;
  for (size_t id = kFirstWord; id < has_vector.size(); ++id) {
    has_vector[id] = vectors.find(description.words.word(static_cast<int32_t>(id))) != nullptr;
    types += has_vector[id];
  }
  size_t tokens = 0, covered = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    tokens += data.words(i).size();
    for (const int32_t word : data.words(i)) covered += has_vector[word];
  }
  const auto percent = [](size_t part, size_t whole) {
    return 100.0 * static_cast<double>(part) / std::max<double>(1, static_cast<double>(whole));
  };
  tell(options, "{}: vectors for {} of {} words ({:.1f} %), which make up {:.1f} % of the text", options.vectors, types,
       has_vector.size() - kFirstWord, percent(types, has_vector.size() - kFirstWord), percent(covered, tokens));
}

// [labels][words of the label's name]
using LabelWords = std::vector<std::vector<std::string>>;

LabelWords words_of_labels(const ModelDescription& description) {
  const auto tokenizer = Tokenizer::make(description.config.text.tokenizer);
  LabelWords words;
  for (size_t label = 0; label < description.labels.size(); ++label) {
    words.push_back(label_words(std::string(description.labels.display_name(static_cast<int32_t>(label))), *tokenizer));
  }
  return words;
}

// Whether the file of names is one of these labels.
void check_label_names(const TrainingOptions& options, const DataFiles& files, const LabelVocabulary& labels) {
  if (files.label_names.empty()) return;
  size_t named = 0;
  std::string_view unnamed;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<int32_t>(i);
    named += labels.has_display_name(label);
    if (unnamed.empty() && !labels.has_display_name(label)) unnamed = labels.name(label);
  }
  if (named == 0) {
    fail("{} names none of the {} labels of {}, such as '{}'; are they from the same vocabulary?", files.label_names,
         labels.size(), files.data, excerpt(unnamed));
  }
  if (2 * named < labels.size()) {
    tell(options, "warning: {} names only {} of the {} labels of {}; '{}', for example, has no name", files.label_names,
         named, labels.size(), files.data, excerpt(unnamed));
  }
}

bool learns_from_names(const Config& config) {
  return variant_of(config).network && variant_of(config).transport && config.loss.lambda > 0 &&
         config.model.label_vectors == "words";
}

// Whether the transport loss can know which labels are close in meaning.
void tell_of_labels(const TrainingOptions& options, const Config& config, const LabelWords& labels,
                    const WordVectors* vectors) {
  if (!learns_from_names(config)) return;
  const auto share = [&](const auto& holds) { return std::count_if(labels.begin(), labels.end(), holds); };
  const auto named = share([](const auto& words) { return !words.empty(); });
  const auto known = share([&](const auto& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return vectors != nullptr && vectors->find(word) != nullptr; });
  });
  const auto total = static_cast<ptrdiff_t>(labels.size());
  if (named < total) {
    tell(options, "{}{} of {} labels have a name with words; the vectors of the others are random{}",
         2 * named < total ? "warning: " : "", named, total,
         named == 0 ? " (--label-names gives names to labels that are URIs or numbers)" : "");
  }
  if (vectors != nullptr) tell(options, "{} of {} labels have a word in their name that has a vector", known, total);
  if (2 * known < total) {
    tell(options,
         "{}: the vectors of {} labels are random, and the transport loss does not know which labels are close "
         "in meaning{}",
         vectors == nullptr ? "note" : "warning", known == 0 ? "all" : "most",
         vectors == nullptr ? "; --vectors helps" : "");
  }
}

}  // namespace

Corpus read_corpus(const Documents& documents, const TrainingOptions& options, const Config& config,
                   bool train_on_all) {
  const bool linear = has_linear(config);
  DataFiles train = data_files(documents);
  std::optional<DataFiles> valid;
  if (options.validation) valid = data_files(*options.validation);
  const auto tokenizer = Tokenizer::make(config.text.tokenizer);
  const auto tell_first = [&](const std::string& file, std::optional<Format> format, const Document& first) {
    tell(options, "{}", describe(display_name(file), format, first_document(first, *tokenizer)));
  };
  std::optional<Format> format;  // of the training documents
  train.first = [&](std::optional<Format> found, const Document& first) {
    tell_first(train.data, found, first);
    format = found;
  };
  if (valid) {
    valid->first = [&](std::optional<Format> found, const Document& first) { tell_first(valid->data, found, first); };
  }
  Corpus corpus = read_training_corpus(
      train, valid,
      {config.text.tokenizer,
       static_cast<size_t>(linear ? std::max(config.text.vocabulary, config.linear.vocabulary)
                                  : config.text.vocabulary),
       static_cast<uint64_t>(linear ? 1 : config.text.min_count),
       static_cast<size_t>(linear ? std::max(config.model.max_words, config.linear.max_words) : config.model.max_words),
       config.training.valid_fraction, static_cast<uint64_t>(config.training.seed), train_on_all});
  if (format && !has_numbered_labels(*format)) check_label_names(options, train, corpus.labels);
  return corpus;
}

ModelDescription describe(Corpus& corpus, Config config) {
  config.model.labels = static_cast<int64_t>(corpus.labels.size());
  if (config.linear.hybrid && variant_of(config).network) {
    config.model.words = network_words(corpus.word_counts, config.text);
    if (config.model.words == 0)
      fail_usage("text.min_count is {}, but no word is that frequent", config.text.min_count);
  }
  if (config.model.steps == 0) config.model.steps = static_cast<int64_t>(corpus.train.largest_label_set());
  if (config.model.steps > most_steps(config.model.labels)) {
    fail_usage("model.steps is {}, but {} labels need at most {}", config.model.steps, config.model.labels,
               most_steps(config.model.labels));
  }
  const TrainingData data{corpus.train.size(), corpus.valid.size(),
                          fmt::format("{:016x}-{:016x}", corpus.train.fingerprint(), corpus.valid.fingerprint())};
  return {config, data, std::move(corpus.words), std::move(corpus.labels)};
}

void tell_about(const TrainingOptions& options, const Corpus& corpus, const ModelDescription& description) {
  const Config& config = description.config;
  tell(options, "{} documents to train on, {} to validate; {} labels; {} words, which cover {:.2f} % of the text",
       corpus.train.size(), corpus.valid.size(), description.labels.size(), description.words.words(),
       100.0 * static_cast<double>(corpus.words_known) / std::max<double>(1, static_cast<double>(corpus.words_read)));
  if (corpus.documents_cut > 0 && !has_linear(config)) {
    tell(options, "{} documents are cut to their first {} words", corpus.documents_cut, config.model.max_words);
  } else if (has_linear(config) && variant_of(config).network) {
    tell(options, "the network reads the first {} words of a document, the linear model the first {}",
         config.model.max_words, config.linear.max_words);
  }
  const size_t documents = corpus.train.size();
  if (has_hardly_any_words(documents, corpus.words_read, corpus.distinct_words)) {
    tell(options, "warning: the texts have hardly any words: {} different ones, {:.1f} per document; is this the text?",
         corpus.distinct_words, static_cast<double>(corpus.words_read) / static_cast<double>(documents));
  }
  for (const Dataset* part : {&corpus.train, &corpus.valid}) {
    for (const std::string& warning : part->warnings().lines()) tell(options, "{}", warning);
  }
  if (const double unknown = corpus.valid.unknown_share(); unknown > 0.5) {
    tell(options,
         "warning: {:.1f} % of the labels of the validation documents never occur in the training documents; do both "
         "use the same vocabulary?",
         100 * unknown);
  }
  if (!variant_of(config).network) return;
  size_t too_many = 0;
  for (size_t i = 0; i < corpus.train.size(); ++i) {
    too_many += corpus.train.labels(i).size() > static_cast<size_t>(config.model.steps);
  }
  if (too_many > 0) {
    tell(options,
         "warning: {} documents have more labels than there are steps (model.steps is {}); the extra ones "
         "cannot be matched",
         too_many, config.model.steps);
  }
  tell(options, "{}: {} parameters, {} threads", config.variant,
       parameter_count(description.word_ids(), description.label_ids(), config), thread_count());
}

std::optional<WordVectors> read_vectors(const TrainingOptions& options, const ModelDescription& description,
                                        const Dataset& train) {
  const LabelWords labels = words_of_labels(description);
  std::optional<WordVectors> vectors;
  if (!options.vectors.empty() && variant_of(description.config).network) {
    std::unordered_set<std::string> in_labels;
    for (const auto& words : labels) in_labels.insert(words.begin(), words.end());
    const auto wanted = [&](std::string_view word) {
      const int32_t id = description.words.id(word);
      return (id != kUnknownWord && id < description.word_ids()) || in_labels.count(std::string(word)) > 0;
    };
    vectors = WordVectors::read(options.vectors, static_cast<size_t>(description.config.model.word_embedding), wanted);
    tell_coverage(options, *vectors, description, train);
  }
  tell_of_labels(options, description.config, labels, vectors ? &*vectors : nullptr);
  return vectors;
}

}  // namespace otseq2set::inline training
