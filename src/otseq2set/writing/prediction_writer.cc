#include "otseq2set/writing/prediction_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "otseq2set/core/error.h"
#include "otseq2set/core/files.h"
#include "otseq2set/reading/line_formats.h"
#include "otseq2set/text/escaping.h"
#include "otseq2set/text/json_writer.h"
#include "otseq2set/writing/label_tokens.h"

namespace otseq2set::inline writing {

namespace {

class JsonlPredictions : public PredictionWriter {
 public:
  JsonlPredictions(const LabelVocabulary& labels, Sink sink) : PredictionWriter(labels, std::move(sink)) {}

  void write(const Document& document, Span<const ScoredLabel> answer) override {
    JsonWriter json(out_);
    json.begin_object().field("id", document.id);
    if (!document.error.empty()) {
      json.field("error", document.error).end_line();
      return;
    }
    json.begin_list("labels");
    for (const ScoredLabel& label : answer) {
      json.begin_object().field("label", labels_.name(label.label));
      if (labels_.has_display_name(label.label)) json.field("name", labels_.display_name(label.label));
      json.field("score", label.score).end_object();
    }
    json.end_list().end_line();
  }
};

// One line a document: each label as a token, with its score behind a separator.
class TokenPredictions : public PredictionWriter {
 public:
  TokenPredictions(const LabelVocabulary& labels, std::string_view prefix, char separator, Sink sink)
      : PredictionWriter(labels, std::move(sink)), separator_(separator) {
    LabelTokens tokens("--output-format jsonl");
    for (size_t i = 0; i < labels.size(); ++i) {
      tokens_.push_back(std::string(prefix).append(tokens.token(labels.name(static_cast<int32_t>(i)))));
    }
  }

  void write(const Document&, Span<const ScoredLabel> answer) override {
    for (const ScoredLabel& label : answer) {
      fmt::format_to(std::back_inserter(out_), "{}{}{}{}", &label == answer.begin() ? "" : " ", tokens_[label.label],
                     separator_, label.score);
    }
    out_ += '\n';
  }

 private:
  char separator_;
  std::vector<std::string> tokens_;
};

// How many documents there are is known at the end only,
// and stands at the beginning: the lines wait in a temporary file.
class XcPredictions : public PredictionWriter {
 public:
  XcPredictions(const LabelVocabulary& labels, Sink sink) : PredictionWriter(labels, std::move(sink)) {}

  void write(const Document&, Span<const ScoredLabel> answer) override {
    for (const ScoredLabel& label : answer) {
      fmt::format_to(std::back_inserter(out_), "{}{}:{}", &label == answer.begin() ? "" : " ", label.label,
                     label.score);
    }
    out_ += '\n';
    ++documents_;
  }

  void flush() override {
    lines_.write(out_);
    out_.clear();
  }

  void finish() override {
    flush();
    sink_(fmt::format("{} {}\n", documents_, labels_.size()));
    lines_.read(sink_);
  }

 private:
  NamelessFile lines_;
  uint64_t documents_ = 0;
};

class AnnifPredictions : public PredictionWriter {
 public:
  AnnifPredictions(const LabelVocabulary& labels, Sink sink) : PredictionWriter(labels, std::move(sink)) {}

  void write(const Document&, Span<const ScoredLabel> answer) override {
    for (const ScoredLabel& label : answer) {
      fmt::format_to(std::back_inserter(out_), "<{}>\t{}\t{:.4f}\n", one_field(labels_.name(label.label)),
                     one_field(labels_.display_name(label.label)), label.score);
    }
    out_ += '\n';
  }
};

}  // namespace

const std::vector<std::string>& PredictionWriter::formats() {
  static const std::vector<std::string> kFormats = {"jsonl", "fasttext", "libmultilabel", "xc", "annif"};
  return kFormats;
}

std::unique_ptr<PredictionWriter> PredictionWriter::make(const std::string& format, const LabelVocabulary& labels,
                                                         Sink sink) {
  if (format == "jsonl") return std::make_unique<JsonlPredictions>(labels, std::move(sink));
  if (format == "fasttext") {
    return std::make_unique<TokenPredictions>(labels, kFastTextPrefix, ' ', std::move(sink));
  }
  if (format == "libmultilabel") return std::make_unique<TokenPredictions>(labels, "", ':', std::move(sink));
  if (format == "xc") return std::make_unique<XcPredictions>(labels, std::move(sink));
  if (format == "annif") return std::make_unique<AnnifPredictions>(labels, std::move(sink));
  fail_usage("unknown output format '{}'; the formats are {}", format, fmt::join(formats(), ", "));
}

void PredictionWriter::flush() {
  if (!out_.empty()) sink_(out_);
  out_.clear();
}

}  // namespace otseq2set::inline writing
