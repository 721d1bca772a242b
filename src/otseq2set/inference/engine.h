// The network as prediction uses it: from word ids to a set of labels and their scores. Made once a model, const and
// thread-safe afterwards. No LibTorch: the kernels on plain arrays, with weights that are packed once.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/core/span.h"
#include "otseq2set/inference/decoded_best.h"
#include "otseq2set/inference/decoded_document.h"
#include "otseq2set/inference/packed_decoder.h"
#include "otseq2set/inference/packed_encoder.h"
#include "otseq2set/store/model_weights.h"

namespace otseq2set::inline inference {

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

  // The same without a score for every label. k: how many of the best will be asked for, about.
  using UseBest = std::function<void(size_t document, const DecodedBest& decoded)>;
  void decode_best(const std::vector<Span<const int32_t>>& documents, size_t k, bool with_attention,
                   const UseBest& use) const;
  // It pays where labels are so many that the logits of a group leave the caches. A model that reads all logits at
  // every step cannot do without them.
  bool prefers_best(size_t k) const;

  const PackedEncoder& encoder() const { return encoder_; }
  const PackedDecoder& decoder() const { return decoder_; }

 private:
  std::vector<EncodedDocuments> encode_shards(const std::vector<Span<const int32_t>>& documents) const;
  template <class Decoded>
  std::vector<Decoded> decode_greedily(const std::vector<EncodedDocuments>& shards, const Decoded& start,
                                       const KeptLogits& kept) const;
  // start: what is decoded of a document before its first step.
  template <class Decoded, class AnyUse>
  void decode_groups(const std::vector<Span<const int32_t>>& documents, const Decoded& start, const KeptLogits& kept,
                     const AnyUse& use) const;

  Config config_;
  ModelWeights weights_;
  int64_t beam_;
  PackedEncoder encoder_;
  PackedDecoder decoder_;
};

}  // namespace otseq2set::inline inference
