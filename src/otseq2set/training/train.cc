#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "otseq2set/config/fields.h"
#include "otseq2set/config/presets.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/thread_limits.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/store/manifest.h"
#include "otseq2set/training.h"
#include "otseq2set/training/automatic.h"
#include "otseq2set/training/choose_answers.h"
#include "otseq2set/training/linear_part.h"
#include "otseq2set/training/preparation.h"
#include "otseq2set/training/requirements.h"
#include "otseq2set/training/tell.h"
#include "otseq2set/training/trainer.h"

namespace otseq2set::inline training {

namespace {

namespace fs = std::filesystem;

bool is_automatic(const TrainingOptions& options) { return options.preset == kAutomatic; }

bool can_be_read_twice(const Documents& documents) { return documents.file != "-"; }

// What the documents decide is still open if settings are chosen automatically.
Config resolve(const Documents& documents, const TrainingOptions& options) {
  Config config;
  if (is_automatic(options)) {
    const bool holds_out = options.validation || config.training.valid_fraction > 0;
    config = before_reading(options, holds_out && can_be_read_twice(documents) &&
                                         (!options.validation || can_be_read_twice(*options.validation)));
  } else if (!options.preset.empty()) {
    apply_preset(config, options.preset);
  }
  for (const std::string& setting : options.settings) apply_assignment(config, setting);
  check_consistency(config);
  if (!options.vectors.empty()) check_vector_widths(config);
  return config;
}

void refuse_to_overwrite(const ModelFolder& folder, const TrainingOptions& options) {
  if (folder.holds_model() && !options.resume && !options.overwrite) {
    fail("{} already contains a model; use --resume to continue or --overwrite to start again", folder.path());
  }
}

void refuse_other_run(const ModelFolder& folder, const ModelDescription& now) {
  const ModelDescription before = load_description(folder);
  if (before.quantised) {
    fail(
        "cannot resume {}: its weights were rounded by quantize and are for prediction alone; train the model that it "
        "was made from",
        folder.path());
  }
  std::vector<std::string> changed = differences(before.config, now.config);
  if (before.data.documents != now.data.documents) {
    changed.push_back(
        fmt::format("the training data had {} documents and now has {}", before.data.documents, now.data.documents));
  }
  if (before.data.valid_documents != now.data.valid_documents) {
    changed.push_back(fmt::format("the validation data had {} documents and now has {}", before.data.valid_documents,
                                  now.data.valid_documents));
  }
  if (changed.empty() && before.data.fingerprint != now.data.fingerprint) {
    changed.push_back("the training or validation data has changed");
  }
  if (!changed.empty()) {
    fail("cannot resume {}: {} (give the old values with --set, or use --overwrite to start again)", folder.path(),
         fmt::join(changed, "; "));
  }
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
  create_folder(network.folder.path());
  Trainer trainer(network.folder, description, corpus.train, corpus.valid, options, epochs);
  if (fs::exists(network.folder.state())) {
    trainer.resume();
    tell(options, "{}: continuing in epoch {}", network.folder.path(), trainer.epoch() + 1);
  } else {
    trainer.start(vectors);
  }
  trainer.run();
}

// Without choices some documents are held out, and the choices made on them.
void train_once(const Documents& documents, const ModelFolder& folder, Config config, const TrainingOptions& options,
                const std::optional<Choices>& choices) {
  refuse_to_overwrite(folder, options);
  if (options.resume && !choices && fs::exists(folder.selection().config())) {
    fail("cannot resume {}: it was started with training.refit (use --overwrite to start again)", folder.path());
  }
  const auto can_resume = [&] { return options.resume && (folder.has_checkpoint() || folder.finished()); };
  const bool chooses = is_automatic(options) && !choices && !can_resume();
  if (is_automatic(options) && !chooses) {
    config = chosen_before(options, can_resume() ? folder : choices->selection, config);
  }
  check_before_reading(options, folder, config, can_resume());
  Corpus corpus = read_corpus(documents, options, config, choices.has_value());
  if (chooses) config = chosen_settings(options, corpus, config);
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
  check_sizes(options, folder, description, corpus.train);

  const std::vector<NetworkFolder> networks = network_folders(folder, config);
  // Now, so that a fault in the file of vectors leaves no folder behind.
  const bool all_begun = can_resume() && all_of(networks, [](const ModelFolder& network) {
                           return network.finished() || fs::exists(network.state());
                         });
  std::optional<WordVectors> vectors;
  if (!all_begun) vectors = read_vectors(options, description, corpus.train);

  create_folder(folder.path());
  const FolderLock lock(folder.path());
  refuse_to_overwrite(folder, options);  // again: another program may have finished meanwhile

  if (can_resume()) {
    if (!folder.vouched_for()) tell(options, "note: {} has no SHA256SUMS, so its files are not checked", folder.path());
    check_and_settle(folder);
    refuse_other_run(folder, description);
  } else {
    begin_anew(folder, /*with_selection=*/!choices);
    save_description(folder, description);
  }
  const bool finished = folder.finished() && all_of(networks, has_ended);
  if (!finished) {  // what a shorter training chose
    remove_vouched(folder, folder.joining());
    remove_vouched(folder, folder.set_rule());
  }
  if (has_linear(config)) train_linear_part(options, folder, description, linear_train);
  linear_train = Dataset();
  for (size_t i = 0; i < networks.size(); ++i) {
    if (networks.size() > 1) tell(options, "network {} of {}, seed {}", i + 1, networks.size(), networks[i].seed);
    train_network(options, networks[i], description, corpus, vectors ? &*vectors : nullptr,
                  choices ? choices->epochs[i] : epochs_to_run(options, config));
    if (choices || epochs_to_run(options, config) == config.training.epochs) {
      remove_vouched(networks[i].folder, networks[i].folder.state());
    }
  }
  if (networks.empty() && !finished) finish_linear(folder, description);
  if (choices) {
    take_over_answers(choices->selection, folder);
    remove_file(choices->selection.config());  // without which the rest is no model that might go on
    fs::remove_all(choices->selection.path());
  } else {
    choose_answers(options, folder, has_linear(config) ? linear_valid : corpus.valid);
  }
  tell(options, "{}: {}", folder.path(), finished ? "training has already finished" : "done");
}

void check_refit(const Documents& documents, const ModelFolder& folder, const Config& config,
                 const TrainingOptions& options) {
  if (!options.validation && config.training.valid_fraction == 0) {
    fail_usage("training.refit needs validation documents, but training.valid_fraction is 0 and --valid is not given");
  }
  if (!can_be_read_twice(documents) || (options.validation && !can_be_read_twice(*options.validation))) {
    fail_usage("training.refit reads the documents twice: they cannot come from standard input");
  }
  refuse_to_overwrite(folder, options);
  if (options.resume && (folder.has_checkpoint() || folder.finished()) &&
      !load_description(folder).config.training.refit) {
    fail("cannot resume {}: it was started without training.refit (use --overwrite to start again)", folder.path());
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
    tell(options, "the number of epochs and the rule for answers are chosen; training again on all documents");
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
  if (!(options.hours > 0)) fail_usage("hours is {}, but must be more than 0", options.hours);
}

void train_unguarded(const Documents& documents, const std::string& path, const TrainingOptions& options) {
  check_options(options);
  const ThreadLimit limit(options.threads);
  const Config config = resolve(documents, options);
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
