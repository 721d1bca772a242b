// otseq2set search: the best settings that a given time finds, and the model trained with them.
#include "otseq2set/search/search.h"

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/interrupt.h"
#include "otseq2set/cli/training_program.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/shell_words.h"
#include "otseq2set/core/threads.h"

namespace otseq2set::inline cli {

namespace {

struct SearchCommand {
  SearchOptions search;
  DataFiles valid;
  ConfigOptions config;
  bool hybrid = false;
  double hours = 0, minutes = 0;
  int threads = 0;
};

std::vector<std::string> words_of(const SearchCommand& options) {
  const ConfigOptions& config = options.config;
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--preset", config.preset.empty() && config.file.empty() ? "paper" : config.preset);
  add("--config", config.file);
  for (const std::string& assignment : config.assignments) add("--set", assignment);
  add("--variant", config.variant);
  if (options.hybrid) words.push_back("--hybrid");
  return words;
}

void search(SearchCommand options, const std::vector<std::string>& arguments) {
  training_program();
  SearchOptions& what = options.search;
  what.seconds = 3600 * options.hours + 60 * options.minutes;
  if (what.seconds <= 0) fail_usage("how long may the search take? --hours 8 or --minutes 20");
  what.threads = set_threads(options.threads);
  what.base = options.config.resolve();
  if (options.hybrid) what.base.linear.hybrid = true;
  what.base.training.refit = false;  // which it does by itself, at the end
  if (!what.base.training.more_seeds.empty()) {
    fail_usage("training.more_seeds: search tries single networks; `train --seeds` makes an ensemble of the best");
  }
  if (!what.vectors.empty()) check_vector_widths(what.base);
  what.config_words = words_of(options);
  what.fixed = options.config.keys_given();
  what.valid = valid_files(what.data, options.valid);
  for (const DataFiles* files : {&what.data, &options.valid}) {
    if (files->data == "-") fail_usage("search reads its data several times: it cannot be standard input");
  }
  if (!what.valid && what.base.training.valid_fraction == 0) {
    fail_usage("search needs validation documents, but training.valid_fraction is 0 and --valid is not given");
  }
  what.program = arguments.front();
  what.command = shell_line(arguments);
  const InterruptFlag interrupt;
  what.stop = &interrupt.raised();
  try {
    run_search(what);
  } catch (const Interrupted&) {
    throw Interrupted("interrupted; nothing is lost; to continue, run: " + what.command);
  }
}

}  // namespace

void add_search(CLI::App& program, const std::vector<std::string>& arguments) {
  auto options = std::make_shared<SearchCommand>();
  SearchOptions& what = options->search;
  CLI::App& command = *program.add_subcommand(
      "search", "Find the best settings within a given time and train with them; continues where it stopped");
  add_data_options(command, what.data, /*required=*/true);
  add_valid_options(command, options->valid, "validation documents; if not given, part of --data is held out");
  command.add_option("--model", what.model, "folder for the model and the search; several programs may share it")
      ->required();
  CLI::Option* hours = command.add_option("--hours", options->hours, "total time, including the final training")
                           ->check(CLI::PositiveNumber);
  command.add_option("--minutes", options->minutes, "the same in minutes")->check(CLI::PositiveNumber)->excludes(hours);
  add_metric_option(command, what.metric);
  command.add_option("--vectors", what.vectors, "pretrained word vectors: GloVe text or .vec");
  options->config.add_to(command);
  command.get_option("--set")->description(
      "fix one setting, key=value, which the search then does not change; repeatable");
  command.add_flag("--hybrid", options->hybrid, "also train a linear model and combine its scores with the network's");
  command.add_option("--seed", what.seed, "seed of the plan: the same seed gives the same candidates")
      ->capture_default_str();
  command.add_option("--candidates", what.candidates, "try at most this many, even if time is left")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  add_threads_option(command, options->threads);
  command.callback([options, arguments] { search(*options, arguments); });
}

}  // namespace otseq2set::inline cli
