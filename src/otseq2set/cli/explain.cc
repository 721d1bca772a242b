// otseq2set explain: labels for every document, and the words that led to each.
#include <cstdio>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/explanation_writer.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/inference/predictor.h"
#include "otseq2set/text/unicode.h"

namespace otseq2set::inline cli {

namespace {

constexpr size_t kTogether = 256;  // documents read, explained and written at once

struct ExplainCommand {
  std::string model;
  DataFiles data;
  AnswerRule rule;
  ExplainOptions explanation;
  std::string output_format = "json", out = "-";
  int threads = 0;
};

bool read_some(DocumentReader& reader, std::vector<Document>& documents) {
  documents.clear();
  Document document;
  while (documents.size() < kTogether && reader.next(document)) {
    // Places are given in characters, so that every byte has to belong to one.
    if (!is_utf8(document.text)) document.text = repair_utf8(document.text);
    documents.push_back(std::move(document));
  }
  return !documents.empty();
}

// Returns how many documents could not be read.
size_t explain_some(const Predictor& predictor, std::vector<Document>& documents,
                    const ExplainCommand& options, ExplanationWriter& writer) {
  std::vector<std::string_view> texts;
  for (const Document& document : documents) {
    if (document.error.empty()) texts.emplace_back(document.text);
  }
  const std::vector<Explanation> explanations =
      explain(predictor, texts, std::vector<AnswerRule>(texts.size(), options.rule), options.explanation);
  size_t next = 0, unreadable = 0;
  for (Document& document : documents) {
    Explanation explanation;
    if (document.error.empty()) explanation = explanations[next++];
    if (document.error.empty() && explanation.words_read == 0) {
      document.error = document.place + ": the document has no words";
    }
    if (!document.error.empty()) ++unreadable;
    writer.write(document, explanation);
  }
  return unreadable;
}

void explain_documents(const ExplainCommand& options) {
  set_threads(options.threads);
  const Predictor predictor{ModelFolder(options.model)};
  const auto reader = open_documents(options.data, /*need_labels=*/false);
  AtomicFile out(options.out);
  const auto writer =
      ExplanationWriter::make(options.output_format, predictor.labels(), options.explanation.leave_out,
                              [&](std::string_view bytes) { out.write(bytes); });
  Meter meter;
  std::vector<Document> documents;
  size_t unreadable = 0;
  while (read_some(*reader, documents)) {
    unreadable += explain_some(predictor, documents, options, *writer);
    meter.add(documents.size());
  }
  writer->finish();
  out.commit();
  meter.finish();
  if (unreadable > 0) {
    fmt::print(stderr, "warning: {} documents could not be read; what stands for them says why\n",
               unreadable);
  }
}

}  // namespace

void add_explain(CLI::App& program) {
  auto options = std::make_shared<ExplainCommand>();
  options->data.data = "-";
  CLI::App& command =
      *program.add_subcommand("explain", "Show the words that led to each label of a document");
  command.add_option("--model", options->model, "folder of the model")->required();
  command
      .add_option("--data", options->data.data, "documents in any format of --format; - is standard input")
      ->capture_default_str();
  add_format_option(command, options->data);
  add_answer_options(command, options->rule);
  command.add_option("--words", options->explanation.words, "how many words to show for each label")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_flag("--leave-out", options->explanation.leave_out,
                   "also say how far the label's score falls without each of these words; takes a prediction "
                   "for each word");
  command.add_option("--output-format", options->output_format, "json, a line a document, or html, one page")
      ->check(CLI::IsMember(ExplanationWriter::formats()))
      ->capture_default_str();
  command.add_option("--out", options->out, "file to write; - is standard output")->capture_default_str();
  add_threads_option(command, options->threads);
  command.callback([options] { explain_documents(*options); });
}

}  // namespace otseq2set::inline cli
