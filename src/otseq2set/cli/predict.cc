// otseq2set predict: labels with scores for every document.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/input_warnings.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/writing/prediction_writer.h"

namespace otseq2set::inline cli {

namespace {

constexpr size_t kPredictedTogether = 1024;  // documents read, sorted by length, predicted and written at once

struct PredictOptions {
  std::string model;
  DataFiles data;
  AnswerRule rule;
  int64_t beam = 1;
  std::string output_format = "jsonl";
  int threads = 0;
};

void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    fail("cannot write standard output: {}", std::strerror(errno));
  }
}

// Documents that cannot be read. Where the output has no place for what is wrong, standard error has, for the
// first of them.
class Unreadable {
 public:
  explicit Unreadable(bool told_in_output) : told_in_output_(told_in_output) {}

  void add(const Document& document) {
    if (!told_in_output_ && count_ < kShown) fmt::print(stderr, "warning: {}\n", document.error);
    ++count_;
  }
  void tell() const {
    if (count_ == 0) return;
    fmt::print(stderr, "warning: {} documents could not be read; their {}\n", count_,
               told_in_output_ ? "lines have an \"error\"" : "answers have no labels");
  }

 private:
  static constexpr size_t kShown = 20;
  bool told_in_output_;
  size_t count_ = 0;
};

void predict_some(const Predictor& predictor, std::vector<Document>& documents, const AnswerRule& rule,
                  PredictionWriter& writer, Unreadable& unreadable, InputWarnings& warnings) {
  const std::vector<Explanation> answers = explain(predictor, documents, rule, kWithoutWords);
  for (size_t i = 0; i < documents.size(); ++i) {
    warnings.add(documents[i], answers[i]);
    std::vector<ScoredLabel> labels;
    for (const ExplainedLabel& label : answers[i].labels) labels.push_back(label.label);
    writer.write(documents[i], labels);
    if (!documents[i].error.empty()) unreadable.add(documents[i]);
  }
  writer.flush();
}

void predict(const PredictOptions& options) {
  set_threads(options.threads);
  const Predictor predictor = load_model(options.model, options.beam);
  const auto writer = PredictionWriter::make(options.output_format, predictor.labels(), write_out);
  const auto reader = open_documents(options.data, /*need_labels=*/false);
  Meter meter;
  Unreadable unreadable(/*told_in_output=*/options.output_format == "jsonl");
  InputWarnings warnings;
  std::vector<Document> documents;
  while (read_some(*reader, kPredictedTogether, documents)) {
    predict_some(predictor, documents, options.rule, *writer, unreadable, warnings);
    meter.add(documents.size());
  }
  writer->finish();
  meter.finish();
  unreadable.tell();
  warnings.tell();
}

}  // namespace

void add_predict(CLI::App& program) {
  auto options = std::make_shared<PredictOptions>();
  options->data.data = "-";
  CLI::App& command =
      *program.add_subcommand("predict", "Predict the labels of documents and write them to standard output");
  command.add_option("--model", options->model, "folder of the model")->required();
  command
      .add_option("--data", options->data.data, "documents in any format listed under --format; - is standard input")
      ->capture_default_str();
  add_format_option(command, options->data, format_names());
  add_answer_options(command, options->rule);
  add_beam_option(command, options->beam);
  command
      .add_option("--output-format", options->output_format,
                  "format of the output: jsonl, fasttext, libmultilabel, xc, annif")
      ->check(CLI::IsMember(PredictionWriter::formats()))
      ->capture_default_str();
  add_threads_option(command, options->threads);
  command.callback([options] { predict(*options); });
}

}  // namespace otseq2set::inline cli
