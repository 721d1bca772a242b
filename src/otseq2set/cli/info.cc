// otseq2set info: configuration, size and memory of a model or a preset.
#include "otseq2set/cli/command.h"
#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/core/units.h"
#include "otseq2set/store/label_ids.h"
#include "otseq2set/store/memory_estimate.h"
#include "otseq2set/store/model_folder.h"
#include "otseq2set/store/parameters.h"
#include "otseq2set/text/vocabulary.h"

namespace otseq2set::inline cli {

namespace {

struct InfoOptions {
  std::string model;
  ConfigOptions config;
  bool json = false;
  int threads = 0;
};

struct Info {
  Config config;
  int64_t words = 0;  // without the special ids
  std::optional<TrainingData> data;
  SetRule rule;  // of a model
  bool quantised = false;
};

Info collect(const InfoOptions& options) {
  if (options.model.empty()) {
    const Config config = options.config.resolve();
    return {config, config.text.vocabulary, std::nullopt, {}, false};
  }
  const ModelFolder folder(options.model);
  const ModelDescription description = load_description(folder);
  note_unless_vouched_for(folder);
  return {description.config, description.word_ids() - kFirstWord, description.data, load_set_rule(folder),
          description.quantised};
}

Json to_json(const Info& info, int threads) {
  Json json;
  json["program"] = OTSEQ2SET_VERSION;
  json["variant"] = info.config.variant;
  json["words"] = info.words;
  json["labels"] = info.config.model.labels;
  const int64_t word_ids = info.words + kFirstWord, label_ids = info.config.model.labels + kFirstLabel;
  json["parameters"] = parameter_count(word_ids, label_ids, info.config);
  json["weights"] = info.quantised ? "int8" : "float32";
  json["threads"] = threads;
  if (variant_of(info.config).network) {
    const MemoryEstimate memory = estimate_memory(info.config, word_ids, label_ids, threads, {}, info.quantised);
    json["training_memory_bytes"] = memory.training;
    json["prediction_memory_bytes"] = memory.prediction;
  }
  if (info.data) {
    json["documents"] = info.data->documents;
    json["valid_documents"] = info.data->valid_documents;
    json["fingerprint"] = info.data->fingerprint;
    json["set_rule"] = {{"rule", kind_name(info.rule.kind)}, {"threshold", info.rule.threshold}};
  }
  json["config"] = to_json(info.config);
  return json;
}

void print_text(const Info& info, const Json& json) {
  const bool network = variant_of(info.config).network;
  if (network) {
    fmt::print("{}: {} words, {} labels, {} steps\n", info.config.variant, info.words, info.config.model.labels,
               info.config.model.steps);
    fmt::print("parameters  {}, {}\n", json["parameters"].get<int64_t>(),
               info.quantised ? "int8 (quantised: for prediction alone)" : "float32");
    fmt::print("memory      about {} to train, {} to predict, with {} threads\n",
               format_bytes(json["training_memory_bytes"]), format_bytes(json["prediction_memory_bytes"]),
               json["threads"].get<int>());
  } else {
    fmt::print("{}: {} words, {} labels\n", info.config.variant, info.words, info.config.model.labels);
  }
  if (const size_t networks = 1 + info.config.training.more_seeds.size(); networks > 1) {
    fmt::print("ensemble    of {} such networks\n", networks);
  }
  if (network && info.config.linear.hybrid) fmt::print("hybrid      combined with a linear model\n");
  if (info.data) {
    fmt::print("trained on  {} documents, validated on {}\n", info.data->documents, info.data->valid_documents);
    fmt::print("answers     {}\n", describe(info.rule));
  }
  if (network && (info.config.model.labels == 0 || info.config.model.steps == 0)) {
    fmt::print(
        "Labels and steps depend on the data; to see the sizes for yours: --set model.labels=N --set model.steps=N\n");
  }
  fmt::print("\n");
  for (const Field& field : fields()) {
    fmt::print("{:<29} {:<16} {}\n", field.key, field.get(info.config).dump(), field.help);
  }
}

void show_info(const InfoOptions& options) {
  const Info info = collect(options);
  const Json json = to_json(info, set_threads(options.threads));
  if (options.json) {
    fmt::print("{}\n", json.dump(2));
  } else {
    print_text(info, json);
  }
}

}  // namespace

void add_info(CLI::App& program) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App& command = *program.add_subcommand("info", "Show configuration, size and memory of a model or preset");
  command.add_option("--model", options->model, "folder of a model");
  options->config.add_to(command);
  command.add_flag("--json", options->json, "print as JSON");
  add_threads_option(command, options->threads);
  command.callback([options] { show_info(*options); });
}

}  // namespace otseq2set::inline cli
