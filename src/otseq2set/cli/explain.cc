// otseq2set explain: labels for every document, and the words that led to each.
#include <cstdio>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/explanation_writer.h"
#include "otseq2set/cli/input_warnings.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/atomic_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline cli {

namespace {

constexpr size_t kExplainedTogether = 256;  // documents read, explained and written at once

struct ExplainCommand {
  std::string model;
  DataFiles data;
  AnswerRule rule;
  ExplainOptions explanation;
  std::string output_format = "json", out = "-";
  int threads = 0;
};

void explain_documents(const ExplainCommand& options) {
  set_threads(options.threads);
  const Predictor predictor = load_model(options.model);
  const auto reader = open_documents_with_any_labels(options.data);
  AtomicFile out(options.out);
  const auto writer = ExplanationWriter::make(options.output_format, predictor.labels(), options.explanation.leave_out,
                                              [&](std::string_view bytes) { out.write(bytes); });
  Meter meter;
  std::vector<Document> documents;
  size_t unreadable = 0;
  InputWarnings warnings;
  while (read_some(*reader, kExplainedTogether, documents)) {
    for (Document& document : documents) {
      // Places are given in characters, so that every byte has to belong to one.
      if (!is_utf8(document.text)) document.text = repair_utf8(document.text);
    }
    const std::vector<Explanation> explanations = explain(predictor, documents, options.rule, options.explanation);
    for (size_t i = 0; i < documents.size(); ++i) {
      if (!documents[i].error.empty()) ++unreadable;
      warnings.add(documents[i], explanations[i]);
      writer->write(documents[i], explanations[i]);
    }
    meter.add(documents.size());
  }
  writer->finish();
  out.commit();
  meter.finish();
  if (unreadable > 0) {
    fmt::print(stderr, "warning: {} documents could not be read; their output says why\n", unreadable);
  }
  warnings.tell();
}

}  // namespace

void add_explain(CLI::App& program) {
  auto options = std::make_shared<ExplainCommand>();
  options->data.data = "-";
  CLI::App& command = *program.add_subcommand("explain", "Show the words that led to each label of a document");
  command.add_option("--model", options->model, "folder of the model")->required();
  command
      .add_option("--data", options->data.data, "documents in any format listed under --format; - is standard input")
      ->capture_default_str();
  add_label_options(command, options->data);
  add_format_option(command, options->data, format_names());
  add_answer_options(command, options->rule);
  command.add_option("--words", options->explanation.words, "how many words to show for each label")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_flag("--leave-out", options->explanation.leave_out,
                   "also show how far the label's score falls without each of these words; needs one "
                   "prediction per word");
  command.add_option("--output-format", options->output_format, "json, one line per document, or html, one page")
      ->check(CLI::IsMember(ExplanationWriter::formats()))
      ->capture_default_str();
  command.add_option("--out", options->out, "file to write; - is standard output")->capture_default_str();
  add_threads_option(command, options->threads);
  command.callback([options] { explain_documents(*options); });
}

}  // namespace otseq2set::inline cli
