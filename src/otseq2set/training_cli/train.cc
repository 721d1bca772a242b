#include "otseq2set/training_cli/train.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/interrupt.h"
#include "otseq2set/cli/shell_words.h"
#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/training/train.h"

namespace otseq2set::inline training_cli {

namespace {

struct TrainOptions {
  TrainRequest request;
  DataFiles valid;
  ConfigOptions config;
  std::optional<int64_t> seed, early_stopping;
};

Config resolve(const TrainOptions& options) {
  Config config = options.config.resolve();
  if (options.seed) apply_json(config, {{"training", {{"seed", *options.seed}}}}, "--seed");
  if (options.early_stopping) {
    apply_json(config, {{"training", {{"early_stopping", *options.early_stopping}}}}, "--early-stopping");
  }
  return config;
}

std::string resume_command(std::vector<std::string> arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--resume") == arguments.end())
    arguments.push_back("--resume");
  return shell_line(arguments);
}

void train_or_say_how_to_resume(const TrainOptions& options, const std::vector<std::string>& arguments) {
  TrainRequest request = options.request;
  request.valid = valid_files(request.data, options.valid);
  request.config = resolve(options);
  const InterruptFlag interrupt;
  request.stop = &interrupt.raised();
  try {
    train(request);
  } catch (const Interrupted&) {
    throw Interrupted(
        fmt::format("interrupted; the checkpoint is saved, go on with: {}", resume_command(arguments)));
  }
}

}  // namespace

void add_train(CLI::App& program, const std::vector<std::string>& arguments) {
  auto options = std::make_shared<TrainOptions>();
  TrainRequest& request = options->request;
  CLI::App& command = *program.add_subcommand("train", "Learn from documents with labels");
  add_data_options(command, request.data, /*required=*/true);
  command.add_option("--model", request.folder, "folder for the model")->required();
  add_valid_options(command, options->valid, "validation documents; without, a share of --data is held out");
  command.add_option("--vectors", request.vectors, "pretrained word vectors: GloVe text or .vec");
  options->config.add_to(command);
  command.add_option("--seed", options->seed, "same seed, same model (training.seed)");
  command.add_option("--early-stopping", options->early_stopping,
                     "epochs without improvement before stopping");
  add_threads_option(command, request.threads);
  command.add_flag("--resume", request.resume, "go on where a run into the same folder stopped");
  command.add_flag("--overwrite", request.overwrite, "replace the model in the folder");
  command
      .add_option("--checkpoint-minutes", request.checkpoint_minutes,
                  "minutes between checkpoints inside an epoch")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_flag("!--no-memory-check", request.memory_check, "start although memory seems too small");
  command.callback([options, arguments] { train_or_say_how_to_resume(*options, arguments); });
}

}  // namespace otseq2set::inline training_cli
