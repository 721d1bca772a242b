#include "otseq2set/kernels/decoder_steps.h"

#include <algorithm>
#include <utility>

#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/gru_cell.h"

namespace otseq2set::inline kernels {

namespace {

// weight_ih for an input that has the contexts first.
template <typename T>
PackedLinear<T> pack_input(const StepParameters<T>& p) {
  const int64_t rows = 3 * p.hidden, width = p.label_width + p.contexts;
  const auto rolled = [&](const auto* matrix) {
    std::vector<std::decay_t<decltype(*matrix)>> result(rows * width);
    for (int64_t row = 0; row < rows; ++row) {
      const auto* from = matrix + row * width;
      std::rotate_copy(from, from + p.label_width, from + width, result.data() + row * width);
    }
    return result;
  };
  if (p.weight_ih.quantised()) {
    return {rows, width, WeightMatrix<T>(rolled(p.weight_ih.bytes).data(), p.weight_ih.scales), p.bias_ih};
  }
  return {rows, width, rolled(p.weight_ih.values).data(), p.bias_ih};
}

template <typename T>
std::unique_ptr<T[]> uninitialised(int64_t size) {
  return std::make_unique_for_overwrite<T[]>(size);
}

}  // namespace

template <typename T>
PackedSteps<T>::PackedSteps(const StepParameters<T>& p)
    : hidden(p.hidden),
      label_width(p.label_width),
      contexts(p.contexts),
      label_vectors(p.label_vectors),
      v(p.v),
      arithmetic(p.weight_hh.quantised() ? Arithmetic::kSteady : Arithmetic::kFused),
      query(p.hidden, p.hidden, p.query_weight, p.query_bias),
      state(3 * p.hidden, p.hidden, p.weight_hh, p.bias_hh),
      input(pack_input(p)) {}

template <typename T>
DecoderSteps<T>::DecoderSteps(const PackedSteps<T>& weights, std::vector<StepDocument<T>> documents, int64_t memories,
                              int64_t steps, const T* masks)
    : weights_(weights),
      documents_(std::move(documents)),
      memories_(memories),
      steps_(steps),
      width_(weights.features()),
      masks_(masks) {
  const int64_t hidden = weights.hidden;
  states_ = uninitialised<T>((steps + 1) * batch() * hidden);
  queries_ = uninitialised<T>(steps * batch() * hidden);
  gates_ = uninitialised<T>(steps * batch() * 4 * hidden);
  features_ = uninitialised<T>(steps * batch() * width_);
  labels_ = uninitialised<int64_t>(steps * batch());
  from_input_ = uninitialised<T>(batch() * 3 * hidden);
  from_state_ = uninitialised<T>(batch() * 3 * hidden);
  for (int64_t m = 0; m < memories; ++m) {
    for (const auto& document : documents_) positions_[m] = std::max(positions_[m], document.memories[m].positions);
    attention_[m] = uninitialised<T>(steps * batch() * positions_[m]);
  }
  for (int64_t row = 0; row < batch(); ++row) {
    std::copy_n(documents_[row].first, hidden, states_.get() + row * hidden);
  }
}

template <typename T>
void DecoderSteps<T>::read(const int64_t* labels) {
  const int64_t width = weights_.label_width;
  std::copy_n(labels, batch(), labels_.get() + done_ * batch());
  for (int64_t row = 0; row < batch(); ++row) {
    T* vector = label_vector(row);
    weights_.label_vectors.copy_row(labels[row], width, vector);
    if (const T* factors = mask(done_, row)) {
      for (int64_t j = 0; j < width; ++j) vector[j] *= factors[j];
    }
  }
}

// What a document sees at this step: the contexts of its features.
template <typename T>
void DecoderSteps<T>::look(int64_t row) {
  T* context = features(done_) + row * width_ + weights_.hidden;
  for (int64_t m = 0; m < memories_; ++m) {
    const AttendedDocument<T>& memory = documents_[row].memories[m];
    attend(AttentionStep<T>{memory, query(done_) + row * weights_.hidden, weights_.v,
                            attention_[m].get() + done_ * attention_stride(m) + row * positions_[m], context},
           weights_.arithmetic);
    context += memory.width;
  }
}

template <typename T>
T* DecoderSteps<T>::advance() {
  const int64_t hidden = weights_.hidden, gate_width = 3 * hidden;
  const T* before = state_before(done_);
  T* now = features(done_);
  weights_.query.forward(batch(), before, hidden, const_cast<T*>(query(done_)), hidden);
  parallel_for(batch(), [&](int64_t row) { look(row); });
  weights_.input.forward(batch(), now + hidden, width_, from_input_.get(), gate_width);
  weights_.state.forward(batch(), before, hidden, from_state_.get(), gate_width);
  gru_cell(GruCell<T>{batch(), hidden, from_input_.get(), from_state_.get(), before, const_cast<T*>(gates(done_)), now,
                      width_},
           weights_.arithmetic);
  ++done_;
  T* after = const_cast<T*>(state_before(done_));
  for (int64_t row = 0; row < batch(); ++row) std::copy_n(now + row * width_, hidden, after + row * hidden);
  return now;
}

template <typename T>
void DecoderSteps<T>::select(const std::vector<int64_t>& rows) {
  const int64_t hidden = weights_.hidden;
  T* states = const_cast<T*>(state_before(done_));
  const std::vector<T> before(states, states + batch() * hidden);
  for (size_t row = 0; row < rows.size(); ++row) {
    std::copy_n(before.data() + rows[row] * hidden, hidden, states + static_cast<int64_t>(row) * hidden);
  }
}

template struct PackedSteps<float>;
template struct PackedSteps<double>;
template class DecoderSteps<float>;
template class DecoderSteps<double>;

}  // namespace otseq2set::inline kernels
