// The encoder for prediction (paper, eq. 2-3): word vectors through bidirectional GRU layers, then LightConv, and
// U h of both for the attention. Weights are packed once and never change, so one encoder serves many threads. Where they
// are bytes, all has the same bits on every instruction set.
//
// A few documents go through it together, each with its own length; what stands behind a document's end never enters
// its states. A document shorter than the LightConv stack's receptive field is filled up with padding words.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/core/span.h"
#include "otseq2set/kernels/decoder_steps.h"
#include "otseq2set/kernels/gru_walk.h"
#include "otseq2set/kernels/int8_gru.h"
#include "otseq2set/kernels/packed_linear.h"
#include "otseq2set/store/model_weights.h"

namespace otseq2set::inline inference {

// States that a decoder can look at.
struct EncodedStates {
  int64_t positions = 0;             // room for each document
  std::vector<int64_t> lengths;      // positions that count
  std::unique_ptr<float[]> states;   // h [documents, positions, 2 hidden]
  std::unique_ptr<float[]> keys;     // U h + b_u [documents, positions, hidden]
  std::unique_ptr<int16_t[]> fixed;  // in place of states, once there are keys; of a quantised model
};

// Documents that were encoded together.
struct EncodedDocuments {
  int64_t hidden = 0;
  std::unique_ptr<float[]> first;       // s_0 [documents, hidden]
  std::vector<EncodedStates> memories;  // of the words and, with LightConv, of phrases

  int64_t count() const { return static_cast<int64_t>(memories[0].lengths.size()); }
  StepDocument<float> document(int64_t index) const;
};

class PackedEncoder {
 public:
  // The weights must outlive this: word vectors are read where they are.
  PackedEncoder(const Config& config, const ModelWeights& weights);

  // documents: word ids, longest first.
  EncodedDocuments encode(const std::vector<Span<const int32_t>>& documents) const;

 private:
  struct Direction {
    PackedLinear<float> input;  // without its bias, which the recurrence adds
    PackedRecurrent<float> recurrent;
    GruWeights<float> weights;
  };
  // Forward and reverse, of one kind or the other.
  struct Layer {
    std::vector<Direction> directions;
    std::vector<Int8Gru> int8;
  };
  struct ConvLayer {
    int64_t kernel, stride;
    std::vector<float> weights;  // softmax-normalised [heads, kernel]
  };

  static Layer packed_layers(const ModelConfig& config, int64_t layer, const ModelWeights& weights);
  std::unique_ptr<float[]> word_vectors(const std::vector<int32_t>& words) const;
  std::unique_ptr<float[]> states_for(const GruDocuments& documents) const;
  std::unique_ptr<float[]> run_layer(const Layer& layer, const GruDocuments& documents, const float* words) const;
  std::unique_ptr<float[]> run_layer(const Layer& layer, const GruDocuments& documents, const Int8Rows& words) const;
  EncodedStates light_conv(const EncodedStates& words) const;
  void add_keys(EncodedStates& memory) const;

  ModelConfig config_;
  int64_t heads_;
  Arithmetic arithmetic_;
  WeightMatrix<float> word_vectors_;  // [word ids, word_embedding]
  std::vector<Layer> layers_;
  std::vector<ConvLayer> conv_;  // empty without LightConv
  PackedLinear<float> first_, keys_;
};

}  // namespace otseq2set::inline inference
