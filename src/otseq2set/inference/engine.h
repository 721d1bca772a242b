// The network as prediction uses it: from word ids to a set of labels and a score for every label. Made once a model,
// const and thread-safe afterwards. No LibTorch: the kernels on plain arrays, with weights that are packed once.
//
//   set    = distinct labels of all steps that are not special; an empty step does not end it
//   score  = 1 - product over the steps of (1 - P_t[label]): that the label is produced at least once
//
// In a sequence model the end mark ends the answer: no label of a later step belongs to the set, and the product runs
// over the steps up to the one that gave the mark. Labels are numbered without the special ids.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/core/span.h"
#include "otseq2set/inference/packed_decoder.h"
#include "otseq2set/inference/packed_encoder.h"
#include "otseq2set/store/model_weights.h"

namespace otseq2set::inline inference {

// What was decoded for one document, or for a hypothesis of it: taken in step by step.
class DecodedDocument {
 public:
  // with_attention: keep what word_weights needs.
  DecodedDocument(const Variant& variant, int64_t labels, bool with_attention);

  // logits: [label ids] of the next step; label: the id chosen there; attention: over the words [words].
  void add(const float* logits, const RowSoftmax& row, int64_t label, Span<const float> attention);

  bool ended() const { return ended_; }                     // a sequence had its end mark: nothing more is added
  const std::vector<int32_t>& set() const { return set_; }  // in the order of the steps that gave the labels
  const std::vector<float>& scores() const { return scores_; }
  // The attention over the words at the step that gave the label its highest probability, the first of equals.
  const std::vector<float>& attention(int32_t label) const { return attention_[best_step_[label]]; }

 private:
  bool sequence_, ended_ = false;
  std::vector<int32_t> set_;
  std::vector<float> scores_;
  // Only with attention.
  std::vector<float> best_log_probability_;    // [labels]
  std::vector<int32_t> best_step_;             // [labels]
  std::vector<std::vector<float>> attention_;  // [steps][words]
};

class Engine {
 public:
  // word_ids and label_ids count the special ids. A beam above 1, which only the sequence models know, searches for a
  // likely sequence of labels instead of decoding greedily.
  Engine(const Config& config, int64_t label_ids, ModelWeights weights, int64_t beam = 1);

  int64_t labels() const;

  // Decodes documents (word ids, each cut already), similar lengths together, on all threads. `use` may be called from
  // several threads, with the index of a document.
  using Use = std::function<void(size_t document, const DecodedDocument& decoded)>;
  void decode(const std::vector<Span<const int32_t>>& documents, bool with_attention, const Use& use) const;

  const PackedEncoder& encoder() const { return encoder_; }
  const PackedDecoder& decoder() const { return decoder_; }

 private:
  std::vector<EncodedDocuments> encode_shards(const std::vector<Span<const int32_t>>& documents) const;
  std::vector<DecodedDocument> decode_greedily(const std::vector<EncodedDocuments>& shards, bool with_attention) const;

  Config config_;
  ModelWeights weights_;
  int64_t beam_;
  PackedEncoder encoder_;
  PackedDecoder decoder_;
};

}  // namespace otseq2set::inline inference
