// otseq2set eval: every metric on documents whose labels are known.
#include "otseq2set/cli/command.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/data/corpus.h"
#include "otseq2set/evaluation/metrics_table.h"
#include "otseq2set/inference/predictor.h"

namespace otseq2set {

namespace {

constexpr size_t kTogether = 4096;  // documents between two updates of the meter

struct EvalOptions {
  std::string model, metrics_file, per_label_file;
  DataFiles data;
  int threads = 0;
};

MetricsOptions metrics_options(const ModelDescription& description) {
  MetricsOptions options;
  options.labels = description.labels.size();
  options.training_counts.assign(description.labels.counts().begin(), description.labels.counts().end());
  options.training_documents = description.data.documents;
  options.propensity_a = description.config.evaluation.propensity_a;
  options.propensity_b = description.config.evaluation.propensity_b;
  return options;
}

MetricsReport measure(const Predictor& predictor, const Dataset& data) {
  const MetricsOptions options = metrics_options(predictor.description());
  Evaluator evaluator(options);
  Meter meter;
  for (size_t begin = 0; begin < data.size(); begin += kTogether) {
    const size_t end = std::min(begin + kTogether, data.size());
    std::vector<Span<const int32_t>> documents;
    for (size_t i = begin; i < end; ++i) documents.push_back(data.words(i));
    auto results = predictor.predict_for_evaluation(documents, options.ks.back());
    for (size_t i = begin; i < end; ++i) {
      auto& result = results[i - begin];
      evaluator.add(
          {{data.labels(i).begin(), data.labels(i).end()}, std::move(result.set), std::move(result.ranking)});
    }
    meter.add(end - begin);
  }
  meter.finish();
  return evaluator.report();
}

void eval(const EvalOptions& options) {
  set_threads(options.threads);
  const Predictor predictor{ModelFolder(options.model)};
  const ModelDescription& description = predictor.description();
  const auto tokenizer = Tokenizer::make(description.config.text.tokenizer);
  const Dataset data = read_dataset(options.data, *tokenizer, description.words, description.labels,
                                    static_cast<size_t>(description.config.model.max_words));
  const MetricsReport report = measure(predictor, data);
  fmt::print("{}", to_table(report));
  if (!options.metrics_file.empty()) write_file(options.metrics_file, to_json(report));
  if (!options.per_label_file.empty()) {
    write_file(options.per_label_file, per_label_tsv(report, [&](int32_t label) {
                 const auto known = static_cast<int32_t>(description.labels.size());
                 return std::string(label < known
                                        ? description.labels.name(label)
                                        : data.unknown_label_name(static_cast<size_t>(label - known)));
               }));
  }
}

}  // namespace

void add_eval(CLI::App& program) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App& command = *program.add_subcommand("eval", "Measure a model on documents with labels");
  command.add_option("--model", options->model, "folder of the model")->required();
  add_data_options(command, options->data, /*required=*/true);
  command.add_option("--metrics-file", options->metrics_file, "write all metrics as JSON");
  command.add_option("--per-label-file", options->per_label_file,
                     "write precision, recall and F1 of each label, TSV");
  add_threads_option(command, options->threads);
  command.callback([options] { eval(*options); });
}

}  // namespace otseq2set
