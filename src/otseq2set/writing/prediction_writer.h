// Answers as other programs expect them.
//
//   jsonl          {"id":"d1","labels":[{"label":"fish","score":0.93}]}, with "name" where a label has one
//   fasttext       __label__fish 0.93 __label__trade_policy 0.71
//   libmultilabel  fish:0.93 trade_policy:0.71
//   xc             a first line N L, then 17:0.93 4:0.71, with 17 a line, from 0, of the model's labels.jsonl
//   annif          <http://example.org/fish>TABFishTAB0.9300 a line, and an empty line after each document
//
// A document that cannot be read has an "error" in jsonl, and in the others an answer without labels, so that
// answers and documents still go together line by line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/core/span.h"
#include "otseq2set/corpus/label_vocabulary.h"
#include "otseq2set/evaluation/scored_label.h"
#include "otseq2set/reading/document.h"

namespace otseq2set::inline writing {

class PredictionWriter {
 public:
  using Sink = std::function<void(std::string_view bytes)>;

  static const std::vector<std::string>& formats();

  // `labels` must outlive the writer. Throws an Error when two labels cannot be told apart in the format.
  static std::unique_ptr<PredictionWriter> make(const std::string& format, const LabelVocabulary& labels, Sink sink);
  virtual ~PredictionWriter() = default;

  virtual void write(const Document& document, Span<const ScoredLabel> answer) = 0;

  // Gives out what can be given out by now.
  virtual void flush();
  // After the last document.
  virtual void finish() { flush(); }

 protected:
  PredictionWriter(const LabelVocabulary& labels, Sink sink) : labels_(labels), sink_(std::move(sink)) {}

  const LabelVocabulary& labels_;
  std::string out_;
  Sink sink_;
};

}  // namespace otseq2set::inline writing
