// The steps of the decoder for all documents of a batch together (paper, eq. 4-8): attention, label vector and
// GRU.
//
//   q_t = W s_{t-1} + b,   c_t = attend(q_t, words),   c'_t = attend(q_t, phrases),   e_t = E[label] * mask_t
//   s_t = GRU(s_{t-1}, [e_t; c_t; c'_t]),   features_t = [s_t; c_t; c'_t; e_t]
//
// What every step made is kept: gradients and explanations need it. Documents and blocks of columns are computed on
// all threads; how the work is cut depends on the sizes alone. For float or double.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "otseq2set/core/weight_matrix.h"
#include "otseq2set/kernels/arithmetic.h"
#include "otseq2set/kernels/attention_step.h"
#include "otseq2set/kernels/packed_linear.h"

namespace otseq2set::inline kernels {

// The weights, which somebody else owns.
template <typename T>
struct StepParameters {
  int64_t hidden, label_width, contexts;  // contexts: the width of all of them together
  WeightMatrix<T> label_vectors;          // E [label ids, label_width]
  WeightMatrix<T> query_weight;           // W [hidden, hidden]
  const T* query_bias;                    // b [hidden]
  const T* v;                             // [hidden]
  WeightMatrix<T> weight_ih;              // [3 hidden, label_width + contexts]
  WeightMatrix<T> weight_hh;              // [3 hidden, hidden]
  const T *bias_ih, *bias_hh;             // [3 hidden]
};

// The products of a step, packed once for all steps. E and v are read where they are. Where weights are bytes, steps
// have the same bits on every instruction set.
template <typename T>
struct PackedSteps {
  explicit PackedSteps(const StepParameters<T>& parameters);

  int64_t hidden, label_width, contexts;
  WeightMatrix<T> label_vectors;
  const T* v;
  Arithmetic arithmetic;
  PackedLinear<T> query, state;
  PackedLinear<T> input;  // of [contexts; label vector], as they stand in the features

  int64_t features() const { return hidden + contexts + label_width; }
};

// A document as the steps read it.
template <typename T>
struct StepDocument {
  const T* first;                   // s_0 [hidden]
  AttendedDocument<T> memories[2];  // the words' states and, where there is LightConv, its states
};

template <typename T>
class DecoderSteps {
 public:
  // All documents have the same number of memories. masks: dropout of the label vectors [steps, batch,
  // label_width], or null. Weights, documents and masks must outlive this.
  DecoderSteps(const PackedSteps<T>& weights, std::vector<StepDocument<T>> documents, int64_t memories, int64_t steps,
               const T* masks = nullptr);

  int64_t batch() const { return static_cast<int64_t>(documents_.size()); }
  int64_t steps() const { return steps_; }
  int64_t memories() const { return memories_; }
  const PackedSteps<T>& weights() const { return weights_; }
  const std::vector<StepDocument<T>>& documents() const { return documents_; }

  // The next step in two parts. `read` puts the vectors of these label ids [batch] in their place, where the caller
  // may change them; `advance` makes the step and returns its features [batch, features].
  void read(const int64_t* labels);
  T* label_vector(int64_t row) { return features(done_) + (row + 1) * width_ - weights_.label_width; }
  T* advance();

  // Row i goes on from the state of row rows[i].
  void select(const std::vector<int64_t>& rows);

  // Of step t: what it started from [batch, hidden], q [batch, hidden], r z n h_n [batch, 4 hidden], the ids that it
  // read [batch], and features [batch, features].
  const T* state_before(int64_t t) const { return states_.get() + t * batch() * weights_.hidden; }
  const T* query(int64_t t) const { return queries_.get() + t * batch() * weights_.hidden; }
  const T* gates(int64_t t) const { return gates_.get() + t * batch() * 4 * weights_.hidden; }
  const int64_t* labels(int64_t t) const { return labels_.get() + t * batch(); }
  T* features(int64_t t) { return features_.get() + t * batch() * width_; }
  // Of the label vector that a document read; null without dropout.
  const T* mask(int64_t t, int64_t row) const {
    return masks_ == nullptr ? nullptr : masks_ + (t * batch() + row) * weights_.label_width;
  }
  // The attention of step t to memory m of a document, one weight a position; from step to step it is
  // attention_stride(m) values further.
  const T* attention(int64_t m, int64_t t, int64_t row) const {
    return attention_[m].get() + t * attention_stride(m) + row * positions_[m];
  }
  int64_t attention_stride(int64_t m) const { return batch() * positions_[m]; }

 private:
  void look(int64_t row);

  const PackedSteps<T>& weights_;
  std::vector<StepDocument<T>> documents_;
  int64_t memories_, steps_, width_;  // width_: of the features
  const T* masks_;
  int64_t done_ = 0;
  int64_t positions_[2] = {0, 0};  // the most that a document has
  std::unique_ptr<T[]> states_, queries_, gates_, features_, attention_[2];
  std::unique_ptr<int64_t[]> labels_;
  std::unique_ptr<T[]> from_input_, from_state_;  // [batch, 3 hidden]
};

}  // namespace otseq2set::inline kernels
