// otseq2set check: everything that is wrong or unusual in a data set, before training on it; or what is wrong with a
// model folder.
#include "otseq2set/checking/check_report.h"
#include "otseq2set/checking/data_check.h"
#include "otseq2set/cli/command.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/cli/model_check.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/shell_words.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/store/automatic_settings.h"

namespace otseq2set::inline cli {

namespace {

struct CheckCommand {
  std::string model;
  DataFiles data, valid;
  std::string vectors;
  ConfigOptions config;
  size_t max_places = 5;
  bool json = false;
  int threads = 0;
  double hours = 1;

  // Whether the documents decide the settings, as in training.
  bool automatic() const { return config.preset.empty() && config.file.empty(); }
};

CheckReport check(const CheckCommand& command, Meter& meter) {
  const Config config = command.config.resolve();
  const std::set<std::string> given = command.config.keys_given();
  const auto decides = [&](const char* key) { return !command.automatic() || given.count(key) > 0; };
  if (!command.vectors.empty() && decides("model.word_embedding")) check_vector_widths(config);
  CheckOptions options;
  options.tokenizer = config.text.tokenizer;
  if (decides("model.max_words")) options.max_words = static_cast<size_t>(config.model.max_words);
  options.steps = static_cast<size_t>(config.model.steps);
  if (decides("model.word_embedding")) options.word_embedding = static_cast<size_t>(config.model.word_embedding);
  options.max_places = command.max_places;
  options.vectors = command.vectors;
  options.progress = [&](size_t documents) { meter.add(documents); };
  return check_data(command.data, valid_files(command.data, command.valid), options);
}

// What training would choose for these documents.
std::vector<ChosenSetting> chosen_settings(const CheckCommand& command, const CheckReport& report, int threads) {
  Config config = command.config.resolve();
  const double trained_on = command.valid.data.empty() ? 1 - config.training.valid_fraction : 1;
  const CorpusFigures data{static_cast<uint64_t>(trained_on * static_cast<double>(report.train.documents)),
                           report.distinct_labels,
                           report.rare_labels,
                           report.train.lengths,
                           report.train.label_set_sizes,
                           2 * report.named_labels > report.distinct_labels};
  config.training.refit = true;
  const auto width = report.vectors ? static_cast<int64_t>(report.vectors->dimension) : 0;
  return choose_settings(data, {command.hours, threads, width}, command.config.keys_given(), config);
}

// Complete, so that it trains the same model on any machine.
std::string train_command(const CheckCommand& command, const std::vector<ChosenSetting>& chosen) {
  std::vector<std::string> words = {"otseq2set", "train"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--data", command.data.data);
  add("--labels", command.data.labels);
  add("--label-names", command.data.label_names);
  if (command.data.format) add("--format", std::string(format_name(*command.data.format)));
  add("--valid", command.valid.data);
  add("--valid-labels", command.valid.labels);
  add("--vectors", command.vectors);
  add("--variant", command.config.variant);
  for (const std::string& assignment : command.config.assignments) add("--set", assignment);
  for (const ChosenSetting& one : chosen) add("--set", assignment_of(one));
  add("--model", "model");
  return shell_line(words);
}

void print_report(const CheckCommand& command, const CheckReport& report, int threads) {
  std::vector<ChosenSetting> chosen;
  if (command.automatic() && report.train.labels > 0) chosen = chosen_settings(command, report, threads);
  if (command.json) {
    Json json = to_json(report);
    json["train_command"] = chosen.empty() ? Json() : Json(train_command(command, chosen));
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  fmt::print("{}", to_text(report));
  if (chosen.empty()) return;
  fmt::print("\nsettings for these documents, {} hours (--hours) and {} threads:\n", command.hours, threads);
  for (const std::string& line : to_lines(chosen)) fmt::print("{}\n", line);
  fmt::print("to train with them (`train` also chooses them by itself):\n  {}\n", train_command(command, chosen));
}

void check_and_report(const CheckCommand& command) {
  const int threads = set_threads(command.threads);
  Meter meter;
  const CheckReport report = check(command, meter);
  meter.finish();
  print_report(command, report, threads);
  if (report.refused()) fail("training would refuse this data; the report says why");
}

void check_model_and_report(const CheckCommand& command) {
  const ModelCheck check = check_model(command.model);
  if (command.json) {
    const Json json = {
        {"model", command.model}, {"checksums", check.vouched_for}, {"files", check.files}, {"faults", check.faults}};
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const std::string& fault : check.faults) fmt::print("{}\n", fault);
  }
  note_unless_vouched_for(ModelFolder(command.model));
  if (!check.faults.empty()) fail("{}: damaged; the report says what is wrong", command.model);
  if (!command.json)
    fmt::print("{}: {}\n", command.model,
               check.vouched_for ? fmt::format("all {} files are as they were written", check.files) : "can be loaded");
}

}  // namespace

void add_check(CLI::App& program) {
  auto options = std::make_shared<CheckCommand>();
  CLI::App& command = *program.add_subcommand("check",
                                              "Report what is wrong or unusual in the data, or what is wrong with a "
                                              "model; exit code 1 if training would refuse "
                                              "the data, or if the model is damaged");
  command.add_option("--model", options->model, "folder of a model to check instead of documents");
  add_data_options(command, options->data, /*required=*/false);
  add_valid_options(command, options->valid, "validation documents");
  command.add_option("--vectors", options->vectors, "pretrained word vectors; reports how much of the text they cover");
  options->config.add_to(command);
  command
      .add_option("--hours", options->hours,
                  "time to plan with for the settings that it recommends if neither --preset nor --config is given")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--max-places", options->max_places, "places to show for each kind of finding")
      ->capture_default_str();
  command.add_flag("--json", options->json, "print the report as one JSON object");
  add_threads_option(command, options->threads);
  command.callback([options] {
    if (options->model.empty() == options->data.data.empty()) fail_usage("give --data or --model, one of them");
    options->model.empty() ? check_and_report(*options) : check_model_and_report(*options);
  });
}

}  // namespace otseq2set::inline cli
