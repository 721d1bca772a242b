// otseq2set check: everything that is wrong or unusual in a data set, before training on it.
#include "otseq2set/checking/check_report.h"
#include "otseq2set/checking/data_check.h"
#include "otseq2set/cli/command.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"

namespace otseq2set::inline cli {

namespace {

struct CheckCommand {
  DataFiles data, valid;
  std::string vectors;
  ConfigOptions config;
  size_t max_places = 5;
  bool json = false;
  int threads = 0;
};

CheckReport check(const CheckCommand& command, Meter& meter) {
  const Config config = command.config.resolve();
  if (!command.vectors.empty()) check_vector_widths(config);
  CheckOptions options;
  options.tokenizer = config.text.tokenizer;
  options.max_words = static_cast<size_t>(config.model.max_words);
  options.steps = static_cast<size_t>(config.model.steps);
  options.word_embedding = static_cast<size_t>(config.model.word_embedding);
  options.max_places = command.max_places;
  options.vectors = command.vectors;
  options.progress = [&](size_t documents) { meter.add(documents); };
  return check_data(command.data, valid_files(command.data, command.valid), options);
}

void check_and_report(const CheckCommand& command) {
  set_threads(command.threads);
  Meter meter;
  const CheckReport report = check(command, meter);
  meter.finish();
  if (command.json) {
    fmt::print("{}\n", to_json(report).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", to_text(report));
  }
  if (report.refused()) fail("training would refuse this data; the report says why");
}

}  // namespace

void add_check(CLI::App& program) {
  auto options = std::make_shared<CheckCommand>();
  CLI::App& command = *program.add_subcommand(
      "check", "Report what is wrong or unusual in the data; exit code 1 if training would refuse it");
  add_data_options(command, options->data, /*required=*/true);
  add_valid_options(command, options->valid, "validation documents");
  command.add_option("--vectors", options->vectors, "pretrained word vectors; reports how much of the text they cover");
  options->config.add_to(command);
  command.add_option("--max-places", options->max_places, "places to show for each kind of finding")
      ->capture_default_str();
  command.add_flag("--json", options->json, "print the report as one JSON object");
  add_threads_option(command, options->threads);
  command.callback([options] { check_and_report(*options); });
}

}  // namespace otseq2set::inline cli
