// otseq2set predict: labels with scores for every document, one JSON object a line.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/meter.h"
#include "otseq2set/config/fields.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/inference/predictor.h"

namespace otseq2set {

namespace {

constexpr size_t kTogether = 1024;  // documents read, sorted by length, predicted and written at once

struct PredictOptions {
  std::string model;
  DataFiles data;
  AnswerRule rule;
  int threads = 0;
};

std::string json_string(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string answer_line(const Document& document, const Answer& answer, const LabelVocabulary& labels) {
  std::string line = fmt::format("{{\"id\":{},\"labels\":[", json_string(document.id));
  for (size_t i = 0; i < answer.labels.size(); ++i) {
    line += fmt::format("{}{{\"label\":{},\"score\":{}}}", i == 0 ? "" : ",",
                        json_string(labels.name(answer.labels[i].label)), answer.labels[i].score);
  }
  return line + "]}\n";
}

std::string error_line(const Document& document) {
  return fmt::format("{{\"id\":{},\"error\":{}}}\n", json_string(document.id), json_string(document.error));
}

void write_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    fail("cannot write standard output: {}", std::strerror(errno));
  }
}

bool read_some(DocumentReader& reader, std::vector<Document>& documents) {
  documents.clear();
  Document document;
  while (documents.size() < kTogether && reader.next(document)) documents.push_back(std::move(document));
  return !documents.empty();
}

// Returns how many documents had an error.
size_t predict_some(const Predictor& predictor, std::vector<Document>& documents, const AnswerRule& rule) {
  std::vector<std::vector<int32_t>> words(documents.size());
  parallel_for(static_cast<int64_t>(documents.size()), [&](int64_t i) {
    if (!documents[i].error.empty()) return;
    words[i] = predictor.read(documents[i].text);
    if (words[i].empty()) documents[i].error = documents[i].place + ": the document has no words";
  });
  std::vector<Span<const int32_t>> readable;
  for (size_t i = 0; i < documents.size(); ++i) {
    if (documents[i].error.empty()) readable.emplace_back(words[i]);
  }
  const std::vector<Answer> answers = predictor.predict(readable, rule);
  std::string text;
  size_t next = 0;
  for (const Document& document : documents) {
    text += document.error.empty() ? answer_line(document, answers[next++], predictor.labels())
                                   : error_line(document);
  }
  write_out(text);
  return documents.size() - readable.size();
}

void predict(const PredictOptions& options) {
  set_threads(options.threads);
  const Predictor predictor{ModelFolder(options.model)};
  const auto reader = open_documents(options.data, /*need_labels=*/false);
  Meter meter;
  size_t errors = 0;
  std::vector<Document> documents;
  while (read_some(*reader, documents)) {
    errors += predict_some(predictor, documents, options.rule);
    meter.add(documents.size());
  }
  meter.finish();
  if (errors > 0)
    fmt::print(stderr, "warning: {} documents could not be read; their lines carry an \"error\"\n", errors);
}

}  // namespace

void add_predict(CLI::App& program) {
  auto options = std::make_shared<PredictOptions>();
  options->data.data = "-";
  CLI::App& command =
      *program.add_subcommand("predict", "Give documents their labels, as JSON lines on standard output");
  command.add_option("--model", options->model, "folder of the model")->required();
  command
      .add_option("--data", options->data.data, "documents, JSON lines with \"text\"; - is standard input")
      ->capture_default_str();
  command
      .add_option("--top-k", options->rule.top_k,
                  "the k best of all labels by score, instead of the label set")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--threshold", options->rule.threshold,
                  "all labels whose score reaches it, instead of the label set")
      ->check(CLI::Range(0.0, 1.0));
  add_threads_option(command, options->threads);
  command.callback([options] { predict(*options); });
}

}  // namespace otseq2set
