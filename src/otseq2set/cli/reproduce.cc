// otseq2set reproduce: the paper's tables on any data, as a report.
#include "otseq2set/cli/command.h"
#include "otseq2set/cli/interrupt.h"
#include "otseq2set/cli/training_program.h"
#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/shell_words.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/reproduction/fasttext.h"
#include "otseq2set/reproduction/reproduction.h"

namespace otseq2set::inline cli {

namespace {

struct CommandOptions {
  ReproduceOptions reproduce;
  DataFiles valid;
  ConfigOptions config;
  std::vector<std::string> sweep, with, peers, compare;
  std::optional<int64_t> epochs;
  int threads = 0;
};

void reproduce(CommandOptions options, const std::vector<std::string>& arguments) {
  training_program();
  ReproduceOptions& what = options.reproduce;
  what.threads = set_threads(options.threads);
  what.plan.base = options.config.resolve();
  if (options.epochs) apply_json(what.plan.base, {{"training", {{"epochs", *options.epochs}}}}, "--epochs");
  if (!options.sweep.empty()) what.plan.sweep = parse_sweep(options.sweep.front());
  what.valid = valid_files(what.data, options.valid);
  what.test.format = what.data.format;
  what.test.label_names = what.data.label_names;
  for (const DataFiles* files : {&what.data, &what.test, &options.valid}) {
    if (files->data == "-") fail_usage("reproduce reads its data several times: it cannot be standard input");
  }
  for (const std::string& peer : options.peers) what.peers.push_back(parse_peer_files(peer));
  for (const PeerFiles& peer : what.peers) {
    if (!peer.valid.empty() && !what.valid) {
      fail_usage("--predictions {}: predictions for validation documents need --valid", peer.name);
    }
  }
  what.fasttext = !options.with.empty();
  if (what.fasttext && !fasttext_is_installed()) {
    fail("--with fasttext: there is no program fasttext on PATH (Debian's package is called fasttext)");
  }
  what.compare_paper = !options.compare.empty();
  what.program = arguments.front();
  what.command = shell_line(arguments);
  const InterruptFlag interrupt;
  what.stop = &interrupt.raised();
  try {
    reproduce(what);
  } catch (const Interrupted&) {
    throw Interrupted("interrupted; nothing is lost; to continue, run: " + what.command);
  }
}

}  // namespace

void add_reproduce(CLI::App& program, const std::vector<std::string>& arguments) {
  auto options = std::make_shared<CommandOptions>();
  ReproduceOptions& what = options->reproduce;
  what.plan.variants = plannable_variants();
  what.plan.seeds = {1};
  CLI::App& command = *program.add_subcommand(
      "reproduce", "Train and measure the paper's systems on your data and write a report; continues where it stopped");
  add_data_options(command, what.data, /*required=*/true);
  add_valid_options(command, options->valid, "validation documents; if not given, part of --data is held out");
  command.add_option("--test", what.test.data, "documents to measure on, in the format of --data")->required();
  command.add_option("--test-labels", what.test.labels, "labels of --test, if they are in a separate file");
  command.add_option("--out", what.out, "folder for runs and report; several programs may share it")->required();
  command
      .add_option(
          "--variants", what.plan.variants,
          "rows of the paper's tables, linear, and hybrid (otseq2set combined with linear), separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(plannable_variants()))
      ->capture_default_str();
  command.add_option("--seeds", what.plan.seeds, "seeds, separated by commas; one run for each")
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--schemes", what.plan.schemes,
                  "matching schemes of the set models: all, first_n or both; if not given, that of the "
                  "configuration, and both for otseq2set")
      ->delimiter(',')
      ->check(CLI::IsMember({"all", "first_n"}));
  command.add_option("--sweep", options->sweep, "additional runs of otseq2set, such as loss.lambda=0,2,4,8,16")
      ->expected(1);
  command.add_option("--epochs", options->epochs, "passes over the training data (training.epochs)");
  options->config.add_to(command, /*with_variant=*/false);
  command.add_option("--vectors", what.vectors, "pretrained word vectors: GloVe text or .vec");
  command.add_option("--beam", what.beam, "also measure the sequence models with beam search")
      ->check(CLI::Range(1, 1000));
  command.add_option("--with", options->with, "also train another tool: fasttext, if it is installed")
      ->check(CLI::IsMember({"fasttext"}));
  command
      .add_option("--predictions", options->peers,
                  "NAME=TEST[,VALID]: another tool's predictions for --test and --valid, as XC sparse, fastText "
                  "or JSON lines; repeatable")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--prediction-labels", what.prediction_labels,
                     "names of the labels that XC predictions give as numbers: one name per line, counted from 0");
  command.add_option("--compare", options->compare, "also show the numbers of: paper")->check(CLI::IsMember({"paper"}));
  command.add_option("--title", what.title, "heading of the report; if not given, it names the test documents");
  add_threads_option(command, options->threads);
  command
      .add_option("--checkpoint-minutes", what.checkpoint_minutes,
                  "minutes between checkpoints: the most work that a kill can cost")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.callback([options, arguments] { reproduce(*options, arguments); });
}

}  // namespace otseq2set::inline cli
