// otseq2set tune: which labels make a set, found on documents whose labels are known.
#include "otseq2set/cli/command.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/inference/scored_dataset.h"
#include "otseq2set/inference/tuning.h"

namespace otseq2set::inline cli {

namespace {

struct TuneOptions {
  std::string model, measure = "micro-F1";
  DataFiles data;
  int threads = 0;
};

void tune(const TuneOptions& options) {
  set_threads(options.threads);
  const ModelFolder folder(options.model);
  const Dataset data = read_dataset(options.data, load_description(folder));
  for (const std::string& warning : data.warnings().lines()) fmt::print(stderr, "{}\n", warning);
  note_unless_vouched_for(folder);
  const FolderLock lock(folder.path());
  join_models(folder, data);
  Meter meter;
  const TunedRule tuned =
      tune(Predictor(folder), data, options.measure, [&](size_t documents) { meter.add(documents); });
  meter.finish();
  save_set_rule(folder, tuned);
  fmt::print("{}\n", describe(tuned));
}

}  // namespace

void add_tune(CLI::App& program) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App& command =
      *program.add_subcommand("tune", "Choose the rule that selects the label set: greedy, or by a score threshold");
  command.add_option("--model", options->model, "folder of the model; the rule is saved there")->required();
  add_data_options(command, options->data, /*required=*/true);
  add_metric_option(command, options->measure);
  add_threads_option(command, options->threads);
  command.callback([options] { tune(*options); });
}

}  // namespace otseq2set::inline cli
