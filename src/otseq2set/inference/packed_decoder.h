// The decoder for prediction (paper, eq. 8-10): one label distribution a step. Weights are packed once and never
// change, so one decoder serves many threads; a DecodingRun has what changes.
//
//   logits_t = W [s_t; c_t; c'_t; e(p_{t-1})] + b, or, with a bottleneck, W_out tanh(W_in [...] + b_in) + b_out
//
// SGM's global embedding lets a step read all of the step before and not its best label alone: with
// q = softmax(logits_{t-1} / 0.1) and avg = E^T q, the vector g * e + (1 - g) * avg stands for e, where
// g = sigmoid(W1 e + W2 avg + b). Its masked decoding never produces a label twice: a label already produced gets a
// logit that never wins. End mark and empty label may come again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/kernels/decoder_steps.h"
#include "otseq2set/kernels/output_softmax.h"
#include "otseq2set/kernels/packed_linear.h"
#include "otseq2set/store/model_weights.h"

namespace otseq2set::inline inference {

class PackedDecoder {
 public:
  // label_ids counts the special ids. The weights must outlive this: label vectors are read where they are.
  PackedDecoder(const Config& config, int64_t label_ids, const ModelWeights& weights);

  int64_t label_ids() const { return out_.outputs(); }

 private:
  friend class DecodingRun;
  struct GlobalEmbedding {
    PackedLinear<float> average;                   // E^T, of probabilities
    PackedLinear<float> gate_label, gate_average;  // W1, W2
  };

  PackedSteps<float> steps_;
  std::optional<PackedLinear<float>> in_;  // with a bottleneck
  PackedLinear<float> out_;
  std::optional<GlobalEmbedding> global_;
};

class DecodingRun {
 public:
  // masked: never produces a label twice, where the model has the global embedding. The decoder and what the documents
  // point to must outlive this.
  DecodingRun(const PackedDecoder& decoder, std::vector<StepDocument<float>> documents, int64_t memories, int64_t steps,
              bool masked = true);

  // The next step, reading these label ids, one a document: the start label or what was chosen before.
  void step(const std::vector<int64_t>& labels);

  // Of the step just made: logits [documents, label ids], and what is known of each row.
  const float* logits(int64_t row) const { return logits_.get() + row * decoder_.label_ids(); }
  const std::vector<RowSoftmax>& rows() const { return rows_; }
  // Of step t, over the words of a document.
  const float* attention(int64_t t, int64_t row) const { return steps_.attention(0, t, row); }

  // Row i goes on from row parents[i].
  void select(const std::vector<int64_t>& parents);

 private:
  void mix_global_embedding();
  void mask(int64_t begin, int64_t end);

  const PackedDecoder& decoder_;
  DecoderSteps<float> steps_;
  bool masked_, started_ = false;
  std::unique_ptr<float[]> logits_;
  std::vector<RowSoftmax> rows_;
  std::vector<float> bottleneck_;
  std::vector<std::vector<int64_t>> produced_;  // labels of each row, only when masked
};

}  // namespace otseq2set::inline inference
