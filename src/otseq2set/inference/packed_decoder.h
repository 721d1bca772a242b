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
#include <mutex>
#include <optional>
#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/core/span.h"
#include "otseq2set/inference/label_scores.h"
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
  Arithmetic arithmetic() const { return steps_.arithmetic; }
  const PackedLinear<float>& out() const { return out_; }  // the output layer
  // The next step reads all logits of the one before, and their best label must not have been produced before.
  bool reads_all_logits() const { return global_.has_value(); }

 private:
  friend class DecodingRun;
  struct GlobalEmbedding {
    std::optional<PackedLinear<float>> average;    // E^T, of probabilities; none where E is bytes
    PackedLinear<float> gate_label, gate_average;  // W1, W2
  };

  PackedSteps<float> steps_;
  std::optional<PackedLinear<float>> in_;  // with a bottleneck
  PackedLinear<float> out_;
  std::optional<GlobalEmbedding> global_;
};

// What a run keeps of the logits of a step. With very many labels all of them take much memory.
struct KeptLogits {
  bool all = true;
  size_t largest = 0;  // so many of each row
};

class DecodingRun {
 public:
  // masked: never produces a label twice, where the model has the global embedding. All logits are kept for it whether
  // asked for or not. The decoder and what the documents point to must outlive this.
  DecodingRun(const PackedDecoder& decoder, std::vector<StepDocument<float>> documents, int64_t memories, int64_t steps,
              const KeptLogits& kept = {}, bool masked = true);

  // The next step, reading these label ids, one a document: the start label or what was chosen before.
  void step(const std::vector<int64_t>& labels);

  // Of the step just made: logits [documents, label ids] if all are kept, the largest with their ids, best first, and
  // what is known of each row.
  const float* logits(int64_t row) const { return logits_.get() + row * decoder_.label_ids(); }
  const std::vector<ScoredLabel>& largest(int64_t row) const { return largest_[row]; }
  const std::vector<RowSoftmax>& rows() const { return rows_; }
  // What the output layer read at step t.
  const float* output_in(int64_t t, int64_t row) const { return inputs_[t] + row * decoder_.out_.inputs(); }
  // Of step t, all of them, computed again. path: the labels that the row produced before.
  std::vector<float> logits_again(int64_t t, int64_t row, Span<const int64_t> path) const;
  // Of step t, over the words of a document.
  const float* attention(int64_t t, int64_t row) const { return steps_.attention(0, t, row); }

  // Row i goes on from row parents[i].
  void select(const std::vector<int64_t>& parents);

 private:
  void mix_global_embedding();
  void average_labels(const float* q, float* average) const;
  const float* output_input();
  void compute_block(int64_t begin, int64_t end, RowPeak<float>* peaks);
  void mask(int64_t begin, int64_t end);

  const PackedDecoder& decoder_;
  DecoderSteps<float> steps_;
  bool masked_;
  std::unique_ptr<float[]> logits_;  // null if not all are kept
  std::vector<RunningBest> running_best_;
  std::unique_ptr<std::mutex[]> best_mutexes_;     // one a row
  std::vector<std::vector<ScoredLabel>> largest_;  // of each row
  std::vector<RowSoftmax> rows_;
  std::unique_ptr<float[]> bottleneck_;         // [steps, documents, width]
  std::vector<const float*> inputs_;            // of the output layer, of each step that was made
  std::vector<std::vector<int64_t>> produced_;  // labels of each row, only when masked
};

}  // namespace otseq2set::inline inference
