// The commands of the program. Each file adds one: its options, its help, and what it does.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/reading/document_reader.h"

namespace otseq2set::inline cli {

void add_reproduce(CLI::App& program,
                   const std::vector<std::string>& arguments);  // the command line as typed
void add_search(CLI::App& program, const std::vector<std::string>& arguments);
void add_eval(CLI::App& program);
void add_tune(CLI::App& program);
void add_quantize(CLI::App& program);
void add_predict(CLI::App& program);
void add_explain(CLI::App& program);
void add_info(CLI::App& program);
void add_convert(CLI::App& program);
void add_check(CLI::App& program);
void add_serve(CLI::App& program);

// --preset, --config, --set, --variant: the configuration, later ones over earlier ones.
struct ConfigOptions {
  std::string preset, file, variant;
  std::vector<std::string> assignments;

  void add_to(CLI::App& command, bool with_variant = true);
  Config resolve() const;
  std::set<std::string> keys_given() const;  // by --set and --variant
};

// Replaces the documents by the next ones, at most so many, and no more once their texts have 16 MB. False when there
// are none.
bool read_some(DocumentReader& reader, size_t most, std::vector<Document>& documents);

// On standard error, if the folder is one of an older program.
void note_unless_vouched_for(const ModelFolder& folder);
// The same, once it is loaded.
Predictor load_model(const std::string& path, int64_t beam = 1);

// --data, --labels, --label-names, --format.
void add_data_options(CLI::App& command, DataFiles& files, bool required);

// --valid, --valid-labels.
void add_valid_options(CLI::App& command, DataFiles& valid, const std::string& help);
// What they give together with --data, whose format and label names hold for both; none without --valid.
std::optional<DataFiles> valid_files(const DataFiles& data, const DataFiles& valid);

// --labels, --label-names.
void add_label_options(CLI::App& command, DataFiles& files);

// --format: one of these.
void add_format_option(CLI::App& command, DataFiles& files, const std::vector<std::string>& formats);

// --top-k, --threshold, --rule: which labels an answer has.
void add_answer_options(CLI::App& command, AnswerRule& rule);

// --rule: greedy or tuned.
CLI::Option* add_rule_option(CLI::App& command, bool& greedy);

// --beam
void add_beam_option(CLI::App& command, int64_t& beam);

// --metric: a measure of sets.
void add_metric_option(CLI::App& command, std::string& measure);

// --threads
void add_threads_option(CLI::App& command, int& threads);

}  // namespace otseq2set::inline cli
