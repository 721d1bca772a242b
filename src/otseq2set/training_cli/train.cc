#include "otseq2set/training_cli/train.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <ratio>
#include <set>
#include <utility>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/interrupt.h"
#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/shell_words.h"
#include "otseq2set/training.h"
#include "otseq2set/training_cli/display.h"

namespace otseq2set::inline training_cli {

namespace {

struct TrainOptions {
  TrainingOptions training;
  DataFiles data, valid;
  std::string model;
  ConfigOptions config;
  std::optional<int64_t> epochs, batch, early_stopping;
  std::optional<double> learning_rate;
  std::vector<int64_t> seeds;
  std::optional<double> max_minutes, hours;
  bool hybrid = false, refit = false;
};

// What single options set, as JSON by the option that gave it.
std::vector<std::pair<std::string, Json>> settings_by_option(const TrainOptions& options) {
  std::vector<std::pair<std::string, Json>> settings;
  if (!options.seeds.empty()) {
    const std::vector<int64_t> more(options.seeds.begin() + 1, options.seeds.end());
    settings.push_back({"--seeds", {{"training", {{"seed", options.seeds[0]}, {"more_seeds", more}}}}});
  }
  if (options.hybrid) settings.push_back({"--hybrid", {{"linear", {{"hybrid", true}}}}});
  if (options.refit) settings.push_back({"--refit", {{"training", {{"refit", true}}}}});
  const auto add = [&](const auto& value, const char* key, const char* option) {
    if (value) settings.push_back({option, {{"training", {{key, *value}}}}});
  };
  add(options.epochs, "epochs", "--epochs");
  add(options.batch, "batch", "--batch");
  add(options.learning_rate, "learning_rate", "--learning-rate");
  add(options.early_stopping, "early_stopping", "--early-stopping");
  return settings;
}

// Complaints about a value name the option that gave it.
Config resolve(const TrainOptions& options) {
  Config config = options.config.resolve();
  for (const auto& [option, json] : settings_by_option(options)) apply_json(config, json, option);
  return config;
}

// All values, or those that were given where the others are chosen by the documents.
std::vector<std::string> settings_of(const TrainOptions& options, bool automatic) {
  const Config config = resolve(options);
  std::set<std::string> given = options.config.keys_given();
  for (const auto& [option, json] : settings_by_option(options)) {
    for (const auto& [room, values] : json.items()) {
      for (const auto& [key, value] : values.items()) given.insert(room + "." + key);
    }
  }
  std::vector<std::string> settings;
  for (const Field& field : fields()) {
    if (automatic && given.count(field.key) == 0) continue;
    settings.push_back(field.key + "=" + field.get(config).dump());
  }
  return settings;
}

Documents documents_of(const DataFiles& files) {
  return {{}, files.data, files.labels, files.label_names, files.format ? std::string(format_name(*files.format)) : ""};
}

std::string resume_command(std::vector<std::string> arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--resume") == arguments.end()) arguments.push_back("--resume");
  return shell_line(arguments);
}

void train_or_say_how_to_resume(const TrainOptions& options, const std::vector<std::string>& arguments) {
  TrainingOptions training = options.training;
  if (const auto valid = valid_files(options.data, options.valid)) training.validation = documents_of(*valid);
  const bool automatic = options.config.preset.empty() && options.config.file.empty();
  if (automatic) {
    training.preset = "auto";
  } else if (options.hours) {
    fail_usage("--hours is for settings that suit the documents; with --preset or --config they are chosen already");
  }
  training.hours = options.hours.value_or(training.hours);
  training.settings = settings_of(options, automatic);
  const InterruptFlag interrupt;
  const auto start = std::chrono::steady_clock::now();
  const auto time_is_up = [&] {
    const std::chrono::duration<double, std::ratio<60>> minutes = std::chrono::steady_clock::now() - start;
    return options.max_minutes && minutes.count() >= *options.max_minutes;
  };
  training.stop = [&] { return interrupt.raised().load() || time_is_up(); };
  Display display;
  training.progress = [&](const TrainingProgress& progress) { display.progress(progress); };
  training.log = [&](const std::string& line) { display.line(line); };
  try {
    train(documents_of(options.data), options.model, training);
  } catch (const Interrupted& state) {
    const std::string how = fmt::format("{}; to continue, run: {}", state.what(), resume_command(arguments));
    if (interrupt.raised()) throw Interrupted("interrupted; " + how);
    display.line(fmt::format("stopped after {} minutes (--max-minutes); {}", *options.max_minutes, how));
  }
}

}  // namespace

void add_train(CLI::App& program, const std::vector<std::string>& arguments) {
  auto options = std::make_shared<TrainOptions>();
  TrainingOptions& training = options->training;
  CLI::App& command = *program.add_subcommand("train", "Learn from documents with labels");
  add_data_options(command, options->data, /*required=*/true);
  command.add_option("--model", options->model, "folder for the model")->required();
  add_valid_options(command, options->valid, "validation documents; if not given, part of --data is held out");
  command.add_option("--vectors", training.vectors, "pretrained word vectors: GloVe text or .vec");
  options->config.add_to(command);
  command
      .add_option(
          "--hours", options->hours,
          "time to plan with if neither --preset nor --config is given: settings then follow from the documents, "
          "the cores and this time; default 1")
      ->check(CLI::PositiveNumber);
  command.add_flag("--hybrid", options->hybrid, "also train a linear model and combine its scores with the network's");
  command
      .add_option(
          "--seed,--seeds", options->seeds,
          "the same seed gives the same model; several, separated by commas, train an ensemble, one network each")
      ->delimiter(',');
  command.add_flag("--refit", options->refit,
                   "after choosing the number of epochs and the rule for answers, train again on all documents");
  command.add_option("--epochs", options->epochs, "passes over the training data (training.epochs)");
  command.add_option("--batch", options->batch, "documents per step (training.batch)");
  command.add_option("--learning-rate", options->learning_rate, "learning rate at the start (training.learning_rate)");
  command.add_option("--early-stopping", options->early_stopping, "epochs without improvement before stopping");
  add_metric_option(command, training.measure);
  command
      .add_option("--stop-after", training.stop_after,
                  "stop after this many epochs of the full schedule; --resume with a larger number continues")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--max-minutes", options->max_minutes,
                  "stop after about this many minutes with a checkpoint; --resume continues")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--linear-from", training.linear_from,
                     "copy the linear model of this model, which must have been trained on the same documents");
  add_threads_option(command, training.threads);
  command.add_flag("--resume", training.resume, "continue where a run in the same folder stopped");
  command.add_flag("--overwrite", training.overwrite, "replace the model in the folder");
  command
      .add_option("--checkpoint-minutes", training.checkpoint_minutes, "minutes between checkpoints inside an epoch")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_flag_callback(
      "--no-memory-check", [&training] { training.memory_check = false; }, "start even if memory seems too small");
  command.callback([options, arguments] { train_or_say_how_to_resume(*options, arguments); });
}

}  // namespace otseq2set::inline training_cli
