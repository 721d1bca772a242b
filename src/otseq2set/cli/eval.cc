// otseq2set eval: every metric on documents whose labels are known.
#include "otseq2set/cli/command.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/evaluation/metrics_table.h"
#include "otseq2set/inference/scored_dataset.h"

namespace otseq2set::inline cli {

namespace {

struct EvalOptions {
  std::string model, metrics_file, per_label_file;
  DataFiles data;
  bool greedy = false;
  int64_t beam = 1;
  int threads = 0;
};

void write_per_label(const std::string& path, const MetricsReport& report, const LabelVocabulary& labels,
                     const Dataset& data) {
  const auto known = static_cast<int32_t>(labels.size());
  const auto label_of = [&](int32_t label) {
    return std::string(label < known ? labels.name(label)
                                     : data.unknown_label_name(static_cast<size_t>(label - known)));
  };
  const auto name_of = [&](int32_t label) {
    return label < known && labels.has_display_name(label) ? std::string(labels.display_name(label)) : "";
  };
  write_file(path, per_label_tsv(report, label_of, labels.has_display_names() ? name_of : TextOfLabel()));
}

void eval(const EvalOptions& options) {
  set_threads(options.threads);
  const Predictor predictor = load_model(options.model, options.beam);
  const ModelDescription& description = predictor.description();
  const SetRule rule = options.greedy ? SetRule() : predictor.set_rule();
  const Dataset data = read_dataset(options.data, description);
  const double unknown = data.unknown_share();
  if (unknown == 1)
    fail("{}: the model knows none of the labels; are they from another vocabulary?", options.data.data);
  if (unknown > 0.5) {
    fmt::print(stderr, "warning: the model does not know {:.1f} % of the labels in {}, which count as misses\n",
               100 * unknown, options.data.data);
  }
  for (const std::string& warning : data.warnings().lines()) fmt::print(stderr, "{}\n", warning);
  Meter meter;
  const MetricsReport report = measure(predictor, data, rule, [&](size_t documents) { meter.add(documents); });
  meter.finish();
  fmt::print("{:<26} {}\n{}", "set", describe(rule), to_table(report));
  if (!options.metrics_file.empty()) write_file(options.metrics_file, to_json(report));
  if (!options.per_label_file.empty()) write_per_label(options.per_label_file, report, description.labels, data);
}

}  // namespace

void add_eval(CLI::App& program) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App& command = *program.add_subcommand("eval", "Measure a model on documents with labels");
  command.add_option("--model", options->model, "folder of the model")->required();
  add_data_options(command, options->data, /*required=*/true);
  add_rule_option(command, options->greedy);
  add_beam_option(command, options->beam);
  command.add_option("--metrics-file", options->metrics_file, "write all metrics as JSON");
  command.add_option("--per-label-file", options->per_label_file,
                     "write precision, recall and F1 of each label as TSV, with its name if the model has one");
  add_threads_option(command, options->threads);
  command.callback([options] { eval(*options); });
}

}  // namespace otseq2set::inline cli
