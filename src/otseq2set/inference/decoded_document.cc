#include "otseq2set/inference/decoded_document.h"

#include <algorithm>

#include "otseq2set/kernels/row_math.h"
#include "otseq2set/store/label_ids.h"

namespace otseq2set::inline inference {

void DecodedSteps::add_step(int64_t label, Span<const float> attention) {
  if (with_attention_) attention_.emplace_back(attention.begin(), attention.end());
  ended_ = sequence_ && label == kEndLabel;
  const auto index = static_cast<int32_t>(label - kFirstLabel);
  if (label >= kFirstLabel && std::find(set_.begin(), set_.end(), index) == set_.end()) set_.push_back(index);
}

DecodedDocument::DecodedDocument(const Variant& variant, int64_t labels, bool with_attention, Arithmetic arithmetic)
    : DecodedSteps(variant, with_attention),
      arithmetic_(arithmetic),
      scores_(labels),
      best_log_probability_(with_attention ? labels : 0),
      best_step_(with_attention ? labels : 0) {}

void DecodedDocument::add(const float* logits, const RowSoftmax& row, int64_t label, Span<const float> attention) {
  if (ended()) return;
  const float* own = logits + kFirstLabel;
  row_add_scores(scores_.data(), own, static_cast<int64_t>(scores_.size()), log_sum(row), arithmetic_);
  for (size_t i = 0; i < best_step_.size(); ++i) {
    const float log_probability = own[i] - log_sum(row);
    if (steps_ > 0 && log_probability <= best_log_probability_[i]) continue;
    best_log_probability_[i] = log_probability;
    best_step_[i] = steps_;
  }
  ++steps_;
  add_step(label, attention);
}

}  // namespace otseq2set::inline inference
