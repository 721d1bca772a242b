// Explanations for programs and for people.
//
//   json   a line a document, places in code points:
//          {"id":"d1","labels":[{"label":"fish","score":0.93,
//           "words":[{"word":"Cod","begin":4,"end":7,"weight":0.41}],
//           "ngrams":[{"ngram":"Cod stocks","begin":4,"end":14,"share":0.32}]}]}
//   html   one page with everything in it, which needs no network and lets nothing else run
//
// If the data has labels, "true_labels" lists them, and the page says which are right, wrong or missed. A document that
// cannot be read has an "error" instead of labels.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otseq2set/corpus/label_vocabulary.h"
#include "otseq2set/inference/explanation.h"
#include "otseq2set/reading/document.h"

namespace otseq2set::inline cli {

class ExplanationWriter {
 public:
  using Sink = std::function<void(std::string_view bytes)>;

  static const std::vector<std::string>& formats();

  // `labels` must outlive the writer. leave_out: the explanations say how far scores fall.
  static std::unique_ptr<ExplanationWriter> make(const std::string& format, const LabelVocabulary& labels,
                                                 bool leave_out, Sink sink);
  ExplanationWriter(const LabelVocabulary& labels, bool leave_out, Sink sink)
      : labels_(labels), leave_out_(leave_out), sink_(std::move(sink)) {}
  virtual ~ExplanationWriter() = default;

  // The document's text is UTF-8, and what the explanation points into.
  virtual void write(const Document& document, const Explanation& explanation) = 0;
  // After the last document.
  virtual void finish() {}

 protected:
  const LabelVocabulary& labels_;
  bool leave_out_;
  Sink sink_;
};

}  // namespace otseq2set::inline cli
