#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "otseq2set/config/fields.h"
#include "otseq2set/config/presets.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/memory.h"
#include "otseq2set/core/thread_limits.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/core/units.h"
#include "otseq2set/corpus/corpus.h"
#include "otseq2set/reading/given_documents.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/memory_estimate.h"
#include "otseq2set/store/parameters.h"
#include "otseq2set/training.h"
#include "otseq2set/training/choose_answers.h"
#include "otseq2set/training/linear_part.h"
#include "otseq2set/training/tell.h"
#include "otseq2set/training/trainer.h"

namespace otseq2set::inline training {

namespace {

namespace fs = std::filesystem;

Config resolve(const TrainingOptions& options) {
  Config config;
  if (!options.preset.empty()) apply_preset(config, options.preset);
  for (const std::string& setting : options.settings) apply_assignment(config, setting);
  check_consistency(config);
  if (!options.vectors.empty()) check_vector_widths(config);
  return config;
}

void refuse_to_overwrite(const ModelFolder& folder, const TrainingOptions& options) {
  if (folder.holds_model() && !options.resume && !options.overwrite) {
    fail("{} holds a model already; --resume goes on with it, --overwrite starts anew", folder.path());
  }
}

Corpus read_corpus(const Documents& documents, const std::optional<Documents>& valid, const Config& config,
                   bool train_on_all) {
  const bool linear = has_linear(config);
  return read_training_corpus(
      data_files(documents), valid ? std::optional(data_files(*valid)) : std::nullopt,
      {config.text.tokenizer,
       static_cast<size_t>(linear ? std::max(config.text.vocabulary, config.linear.vocabulary)
                                  : config.text.vocabulary),
       static_cast<uint64_t>(linear ? 1 : config.text.min_count),
       static_cast<size_t>(linear ? std::max(config.model.max_words, config.linear.max_words) : config.model.max_words),
       config.training.valid_fraction, static_cast<uint64_t>(config.training.seed), train_on_all});
}

// The words that a network has vectors for: the first of the vocabulary, which has the most frequent first.
int64_t network_words(const std::vector<uint64_t>& counts, const TextConfig& text) {
  const auto enough = [&](uint64_t count) { return count >= static_cast<uint64_t>(text.min_count); };
  return std::min<int64_t>(std::partition_point(counts.begin(), counts.end(), enough) - counts.begin(),
                           text.vocabulary);
}

// What the data decides: labels, steps, the network's words beside a linear model; and its fingerprint.
ModelDescription describe(Corpus& corpus, Config config) {
  config.model.labels = static_cast<int64_t>(corpus.labels.size());
  if (config.linear.hybrid && variant_of(config).network) {
    config.model.words = network_words(corpus.word_counts, config.text);
    if (config.model.words == 0) fail_usage("text.min_count is {}, but no word is as frequent", config.text.min_count);
  }
  if (config.model.steps == 0) config.model.steps = static_cast<int64_t>(corpus.train.largest_label_set());
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
  if (const double unknown = corpus.valid.unknown_share(); unknown > 0.5) {
    tell(options,
         "warning: {:.1f} % of the labels of the validation documents never occur in the training documents; are they "
         "of one vocabulary?",
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

void check_memory(const TrainingOptions& options, const ModelDescription& description, const Dataset& train) {
  if (!variant_of(description.config).network) return;
  const uint64_t needed = estimate_memory(description.config, description.word_ids(), description.label_ids(),
                                          thread_count(), sequence_sizes(train, description.config.training.batch))
                              .training;
  const uint64_t available = available_memory();
  tell(options, "memory: about {} needed, {} available", format_bytes(needed), format_bytes(available));
  if (options.memory_check && available > 0 && needed > available) {
    fail(
        "training will not fit into memory: about {} needed, {} available; a smaller training.batch, model.max_words, "
        "model.hidden or fewer --threads help (--no-memory-check tries all the same)",
        format_bytes(needed), format_bytes(available));
  }
}

void refuse_other_run(const ModelFolder& folder, const ModelDescription& now) {
  const ModelDescription before = load_description(folder);
  std::vector<std::string> changed = differences(before.config, now.config);
  if (before.data.documents != now.data.documents) {
    changed.push_back(
        fmt::format("the training data had {} documents, has now {}", before.data.documents, now.data.documents));
  }
  if (before.data.valid_documents != now.data.valid_documents) {
    changed.push_back(fmt::format("the validation data had {} documents, has now {}", before.data.valid_documents,
                                  now.data.valid_documents));
  }
  if (changed.empty() && before.data.fingerprint != now.data.fingerprint) {
    changed.push_back("the documents of the training or validation data differ");
  }
  if (!changed.empty()) {
    fail("cannot resume {}: {} (give the old values with --set, or start anew with --overwrite)", folder.path(),
         fmt::join(changed, "; "));
  }
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
  tell(options, "{}: vectors for {} of {} words ({:.1f} %), which are {:.1f} % of the text", options.vectors, types,
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
  if (vectors != nullptr) tell(options, "{} of {} labels have a word with a vector in their name", known, total);
  if (2 * known < total) {
    tell(options,
         "{}: the vectors of {} labels are random, and the transport loss does not know which labels are close "
         "in meaning{}",
         vectors == nullptr ? "note" : "warning", known == 0 ? "all" : "most",
         vectors == nullptr ? "; --vectors helps" : "");
  }
}

std::optional<WordVectors> read_vectors(const TrainingOptions& options, const ModelDescription& description,
                                        const LabelWords& labels, const Dataset& data) {
  if (options.vectors.empty() || !variant_of(description.config).network) return std::nullopt;
  std::unordered_set<std::string> in_labels;
  for (const auto& words : labels) in_labels.insert(words.begin(), words.end());
  auto wanted = [&](std::string_view word) {
    const int32_t id = description.words.id(word);
    return (id != kUnknownWord && id < description.word_ids()) || in_labels.count(std::string(word)) > 0;
  };
  WordVectors vectors =
      WordVectors::read(options.vectors, static_cast<size_t>(description.config.model.word_embedding), wanted);
  tell_coverage(options, vectors, description, data);
  return vectors;
}

// What a first training found, for the second on all documents: the epochs of each network, and how to answer.
struct Choices {
  ModelFolder selection;
  std::vector<int64_t> epochs;
};

Choices read_choices(const ModelFolder& selection, const Config& config) {
  Choices choices{selection, {}};
  for (const NetworkFolder& network : network_folders(selection, config)) {
    // Once all is done, nothing is left of the selection.
    choices.epochs.push_back(network.folder.finished()
                                 ? Json::parse(read_file(network.folder.metrics())).at("best_epoch").get<int64_t>()
                                 : config.training.epochs);
  }
  return choices;
}

bool all_of(const std::vector<NetworkFolder>& networks, bool (*holds)(const ModelFolder& folder)) {
  return std::all_of(networks.begin(), networks.end(), [&](const NetworkFolder& one) { return holds(one.folder); });
}

// What has the state of a training may go on.
bool has_ended(const ModelFolder& network) { return network.finished() && !fs::exists(network.state()); }

int64_t epochs_to_run(const TrainingOptions& options, const Config& config) {
  const int64_t all = config.training.epochs;
  return options.stop_after > 0 ? std::min(options.stop_after, all) : all;
}

void train_network(const TrainingOptions& options, const NetworkFolder& network, ModelDescription description,
                   const Corpus& corpus, const WordVectors* vectors, int64_t epochs) {
  if (has_ended(network.folder)) return;
  description.config.training.seed = network.seed;
  fs::create_directories(network.folder.path());
  Trainer trainer(network.folder, description, corpus.train, corpus.valid, options, epochs);
  if (fs::exists(network.folder.state())) {
    trainer.resume();
    tell(options, "{}: goes on in epoch {}", network.folder.path(), trainer.epoch() + 1);
  } else {
    trainer.start(vectors);
  }
  trainer.run();
}

// Without choices some documents are held out, and the choices made on them.
void train_once(const Documents& documents, const ModelFolder& folder, const Config& config,
                const TrainingOptions& options, const std::optional<Choices>& choices) {
  refuse_to_overwrite(folder, options);
  if (options.resume && !choices && fs::exists(folder.selection().config())) {
    fail("cannot resume {}: it was begun with training.refit (--overwrite starts anew)", folder.path());
  }
  Corpus corpus = read_corpus(documents, options.validation, config, choices.has_value());
  const ModelDescription description = describe(corpus, config);
  tell_about(options, corpus, description);
  // The linear model reads more words than the network, and knows more.
  Dataset linear_train, linear_valid;
  if (has_linear(config)) {
    linear_train = std::move(corpus.train);
    linear_valid = std::move(corpus.valid);
    const auto most = static_cast<size_t>(config.model.max_words);
    corpus.train = linear_train.shortened(most, static_cast<int32_t>(description.word_ids()));
    corpus.valid = linear_valid.shortened(most, static_cast<int32_t>(description.word_ids()));
  }
  check_memory(options, description, corpus.train);

  const std::vector<NetworkFolder> networks = network_folders(folder, config);
  const auto can_resume = [&] { return options.resume && (folder.has_checkpoint() || folder.finished()); };
  // Now, so that a fault in the file of vectors leaves no folder behind.
  const bool all_begun = can_resume() && all_of(networks, [](const ModelFolder& network) {
                           return network.finished() || fs::exists(network.state());
                         });
  std::optional<WordVectors> vectors;
  if (!all_begun) {
    const LabelWords labels = words_of_labels(description);
    vectors = read_vectors(options, description, labels, corpus.train);
    tell_of_labels(options, config, labels, vectors ? &*vectors : nullptr);
  }

  std::error_code error;
  fs::create_directories(folder.path(), error);
  if (error) fail("cannot make folder {}: {}", folder.path(), error.message());
  const FolderLock lock(folder.path());
  refuse_to_overwrite(folder, options);  // again: another program may have finished meanwhile

  if (can_resume()) {
    refuse_other_run(folder, description);
  } else {
    folder.remove_model(/*with_selection=*/!choices);
    save_description(folder, description);
  }
  const bool finished = folder.finished() && all_of(networks, has_ended);
  if (!finished) {  // what a shorter training chose
    fs::remove(folder.joining());
    fs::remove(folder.set_rule());
  }
  if (has_linear(config)) train_linear_part(options, folder, description, linear_train);
  linear_train = Dataset();
  for (size_t i = 0; i < networks.size(); ++i) {
    if (networks.size() > 1) tell(options, "network {} of {}, seed {}", i + 1, networks.size(), networks[i].seed);
    train_network(options, networks[i], description, corpus, vectors ? &*vectors : nullptr,
                  choices ? choices->epochs[i] : epochs_to_run(options, config));
    if (choices || epochs_to_run(options, config) == config.training.epochs) fs::remove(networks[i].folder.state());
  }
  if (networks.empty() && !finished) finish_linear(folder, description);
  if (choices) {
    take_over_answers(choices->selection, folder);
    fs::remove_all(choices->selection.path());
  } else {
    choose_answers(options, folder, has_linear(config) ? linear_valid : corpus.valid);
  }
  tell(options, "{}: {}", folder.path(), finished ? "training has finished already" : "done");
}

void check_refit(const Documents& documents, const ModelFolder& folder, const Config& config,
                 const TrainingOptions& options) {
  if (!options.validation && config.training.valid_fraction == 0) {
    fail_usage("training.refit needs documents to choose on, but training.valid_fraction is 0 and there is no --valid");
  }
  if (documents.file == "-" || (options.validation && options.validation->file == "-")) {
    fail_usage("training.refit reads the documents twice: they cannot come from standard input");
  }
  refuse_to_overwrite(folder, options);
  if (options.resume && (folder.has_checkpoint() || folder.finished()) &&
      !load_description(folder).config.training.refit) {
    fail("cannot resume {}: it was begun without training.refit (--overwrite starts anew)", folder.path());
  }
}

// Chooses with some documents held out, then trains on all of them.
void train_twice(const Documents& documents, const ModelFolder& folder, const Config& config,
                 const TrainingOptions& options) {
  check_refit(documents, folder, config, options);
  const ModelFolder selection = folder.selection();
  if (!options.resume || !folder.finished() || fs::exists(selection.config())) {
    TrainingOptions first = options;
    first.log = [&](const std::string& line) { tell(options, "choosing: {}", line); };
    Config without = config;
    without.training.refit = false;
    train_once(documents, selection, without, first, std::nullopt);
    tell(options, "epochs and answers are chosen; now the same with all documents");
  }
  TrainingOptions second = options;
  if (!options.resume) second.overwrite = true;  // what was there before; that this is wanted has been made sure of
  train_once(documents, folder, config, second, read_choices(selection, config));
}

void check_options(const TrainingOptions& options) {
  if (options.threads < 0 || options.threads > kMostThreads) {
    fail_usage("threads is {}, but must be from 0 to {}", options.threads, kMostThreads);
  }
  if (!(options.checkpoint_minutes >= 0)) {
    fail_usage("checkpoint_minutes is {}, but must be 0 or more", options.checkpoint_minutes);
  }
}

void train_unguarded(const Documents& documents, const std::string& path, const TrainingOptions& options) {
  check_options(options);
  const ThreadLimit limit(options.threads);
  const Config config = resolve(options);
  if (config.training.refit) {
    train_twice(documents, ModelFolder(path), config, options);
  } else {
    train_once(documents, ModelFolder(path), config, options, std::nullopt);
  }
}

// LibTorch splits work by the number of its threads, which changes bits; our own loops use all cores.
class OneTorchThread {
 public:
  OneTorchThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  ~OneTorchThread() { at::set_num_threads(before_); }
  OneTorchThread(const OneTorchThread&) = delete;
  OneTorchThread& operator=(const OneTorchThread&) = delete;

 private:
  int before_;
};

}  // namespace
}  // namespace otseq2set::inline training

namespace otseq2set::inline v1 {

void train(const Documents& documents, const std::string& folder, const TrainingOptions& options) {
  const OneTorchThread one_thread;
  try {
    training::train_unguarded(documents, folder, options);
  } catch (const c10::Error& error) {
    fail("LibTorch: {}", error.what_without_backtrace());
  } catch (const std::filesystem::filesystem_error& error) {
    fail("{}: {}", error.path1().string(), error.code().message());
  }
}

}  // namespace otseq2set::inline v1
