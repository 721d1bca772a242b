#include <fmt/ranges.h>

#include "otseq2set/cli/command.h"
#include "otseq2set/config/fields.h"
#include "otseq2set/config/presets.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/thread_limits.h"
#include "otseq2set/evaluation/rule_search.h"
#include "otseq2set/inference/predictor.h"

namespace otseq2set::inline cli {

namespace {

constexpr size_t kBytesTogether = 16 << 20;

void apply_config_file(Config& config, const std::string& path) {
  Json json;
  try {
    json = Json::parse(read_file(path));
  } catch (const Json::parse_error& error) {
    fail_usage("{}: not JSON: {}", path, error.what());
  }
  // The config.json of a model folder is a configuration too.
  apply_json(config, json.is_object() && json.contains("format") && json.contains("config") ? json["config"] : json,
             path);
}

}  // namespace

void ConfigOptions::add_to(CLI::App& command, bool with_variant) {
  command.add_option("--preset", preset, fmt::format("start from a preset: {}", fmt::join(preset_names(), ", ")))
      ->take_last();
  command.add_option("--config", file, "read settings from a JSON file");
  command.add_option("--set", assignments, "change one setting, key=value; repeatable, the last one wins")
      ->take_all()
      ->allow_extra_args(false);
  if (!with_variant) return;
  command.add_option(
      "--variant", variant,
      "row of the paper's tables: seq2seq, mlc2seq, sgm, seq2seq_lc, bm, bm_lc, bm_ot, otseq2set; or linear");
}

Config ConfigOptions::resolve() const {
  Config config;
  if (!preset.empty()) apply_preset(config, preset);
  if (!file.empty()) apply_config_file(config, file);
  for (const std::string& assignment : assignments) apply_assignment(config, assignment);
  if (!variant.empty()) apply_json(config, {{"variant", variant}}, "--variant");
  check_consistency(config);
  return config;
}

std::set<std::string> ConfigOptions::keys_given() const {
  std::set<std::string> keys;
  for (const std::string& assignment : assignments) keys.insert(assignment.substr(0, assignment.find('=')));
  if (!variant.empty()) keys.insert("variant");
  return keys;
}

bool read_some(DocumentReader& reader, size_t most, std::vector<Document>& documents) {
  documents.clear();
  Document document;
  for (size_t bytes = 0; documents.size() < most && bytes < kBytesTogether && reader.next(document);) {
    bytes += document.text.size();
    documents.push_back(std::move(document));
  }
  return !documents.empty();
}

void note_unless_vouched_for(const ModelFolder& folder) {
  if (folder.vouched_for()) return;
  fmt::print(stderr, "note: {} has no SHA256SUMS; damaged files may not be noticed\n", folder.path());
}

Predictor load_model(const std::string& path, int64_t beam) {
  const ModelFolder folder(path);
  Predictor predictor(folder, beam);
  note_unless_vouched_for(folder);
  return predictor;
}

void add_data_options(CLI::App& command, DataFiles& files, bool required) {
  command
      .add_option("--data", files.data,
                  "documents in any format listed under --format, optionally compressed with gzip, zstd or xz; - is "
                  "standard input")
      ->required(required);
  add_label_options(command, files);
  add_format_option(command, files, labelled_format_names());
}

void add_label_options(CLI::App& command, DataFiles& files) {
  command.add_option("--labels", files.labels, "labels for the texts in --data, one line per text (attentionxml)");
  command.add_option("--label-names", files.label_names,
                     "names of the labels: one name per line if labels are line numbers counted from 0 (pecos, "
                     "attentionxml); otherwise <label>TABname");
}

void add_valid_options(CLI::App& command, DataFiles& valid, const std::string& help) {
  command.add_option("--valid", valid.data, help);
  command.add_option("--valid-labels", valid.labels, "labels of --valid, if they are in a separate file");
}

std::optional<DataFiles> valid_files(const DataFiles& data, const DataFiles& valid) {
  if (valid.data.empty()) return std::nullopt;
  DataFiles files = valid;
  files.format = data.format;
  // A file of names serves both only where both are of one kind: two files, or one.
  if (data.labels.empty() == valid.labels.empty()) files.label_names = data.label_names;
  return files;
}

void add_format_option(CLI::App& command, DataFiles& files, const std::vector<std::string>& formats) {
  command.add_option_function<std::string>(
      "--format", [&files](const std::string& name) { files.format = parse_format(name); },
      fmt::format("format of --data: one of {}; recognised from the content if not given", fmt::join(formats, ", ")));
}

CLI::Option* add_rule_option(CLI::App& command, bool& greedy) {
  return command
      .add_option_function<std::string>(
          "--rule", [&greedy](const std::string& rule) { greedy = rule == "greedy"; },
          "rule that selects the label set: greedy (the paper's) or tuned (found by `tune` or training; default)")
      ->check(CLI::IsMember({"greedy", "tuned"}));
}

void add_beam_option(CLI::App& command, int64_t& beam) {
  command.add_option("--beam", beam, "hypotheses that beam search keeps; for the sequence models")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

void add_answer_options(CLI::App& command, AnswerRule& rule) {
  CLI::Option* best =
      command.add_option("--top-k", rule.top_k, "give the k labels with the best scores instead of the label set")
          ->check(CLI::Range(1, INT32_MAX));
  CLI::Option* reaching = command
                              .add_option("--threshold", rule.threshold,
                                          "give all labels with at least this score instead of the label set")
                              ->check(CLI::Range(0.0, 1.0));
  add_rule_option(command, rule.greedy)->excludes(best)->excludes(reaching);
}

void add_metric_option(CLI::App& command, std::string& measure) {
  command.add_option("--metric", measure, fmt::format("measure to maximise: {}", fmt::join(set_measure_names(), ", ")))
      ->check(CLI::IsMember(set_measure_names()))
      ->capture_default_str();
}

void add_threads_option(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "number of threads, 0 = all cores; does not change results")
      ->check(CLI::Range(0, kMostThreads))
      ->capture_default_str();
}

}  // namespace otseq2set::inline cli
