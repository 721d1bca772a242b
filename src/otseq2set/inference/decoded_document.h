// What was decoded for one document, or for a hypothesis of it: taken in step by step.
//
//   set    = distinct labels of all steps that are not special; an empty step does not end it
//   score  = 1 - product over the steps of (1 - P_t[label]): that the label is produced at least once
//
// In a sequence model the end mark ends the answer: no label of a later step belongs to the set, and the product runs
// over the steps up to the one that gave the mark. Labels are numbered without the special ids.
#pragma once

#include <cstdint>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/core/span.h"
#include "otseq2set/kernels/output_softmax.h"

namespace otseq2set::inline inference {

// What probabilities are computed from: log of sum exp logits.
inline float log_sum(const RowSoftmax& row) { return static_cast<float>(row.largest + row.excess); }

// The set, and where the steps looked.
class DecodedSteps {
 public:
  DecodedSteps(const Variant& variant, bool with_attention)
      : sequence_(variant.sequence), with_attention_(with_attention) {}
  virtual ~DecodedSteps() = default;

  bool ended() const { return ended_; }                     // a sequence had its end mark: nothing more is added
  const std::vector<int32_t>& set() const { return set_; }  // in the order of the steps that gave the labels
  // The attention over the words at the step that gave the label its highest probability, the first of equals. Only
  // if it was kept.
  const std::vector<float>& attention(int32_t label) const { return attention_[best_step(label)]; }

 protected:
  DecodedSteps(const DecodedSteps&) = default;
  DecodedSteps& operator=(const DecodedSteps&) = default;

  // label: the id chosen at the next step; attention: over the words [words].
  void add_step(int64_t label, Span<const float> attention);
  virtual size_t best_step(int32_t label) const = 0;
  bool with_attention() const { return with_attention_; }

 private:
  bool sequence_, with_attention_, ended_ = false;
  std::vector<int32_t> set_;
  std::vector<std::vector<float>> attention_;  // [steps][words]
};

// With a score for every label.
class DecodedDocument : public DecodedSteps {
 public:
  DecodedDocument(const Variant& variant, int64_t labels, bool with_attention,
                  Arithmetic arithmetic = Arithmetic::kFused);

  // logits: [label ids] of the next step; label: the id chosen there; attention: over the words [words].
  void add(const float* logits, const RowSoftmax& row, int64_t label, Span<const float> attention);

  const std::vector<float>& scores() const { return scores_; }

 private:
  size_t best_step(int32_t label) const override { return best_step_[label]; }

  Arithmetic arithmetic_;
  std::vector<float> scores_;
  // Only with attention.
  int32_t steps_ = 0;
  std::vector<float> best_log_probability_;  // [labels]
  std::vector<int32_t> best_step_;           // [labels]
};

}  // namespace otseq2set::inline inference
