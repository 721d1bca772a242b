#include "otseq2set/kernels/decoder_run.h"

#include <algorithm>
#include <optional>

#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/attention_step.h"
#include "otseq2set/kernels/blas.h"
#include "otseq2set/kernels/gru_cell.h"

namespace otseq2set {

namespace {

using torch::Tensor;

constexpr auto kNo = Transpose::kNo;
constexpr auto kYes = Transpose::kYes;
constexpr int64_t kColumns = 256;  // of a product that one thread computes at a time

struct Sizes {
  int64_t batch, steps, hidden, label, width, memories;
  int64_t contexts() const { return memories * width; }
  int64_t input() const { return label + contexts(); }
  int64_t features() const { return hidden + input(); }
};

// Calls body(begin, count) for blocks of `size` columns, on all threads.
template <typename Body>
void for_each_block(int64_t size, const Body& body) {
  parallel_for((size + kColumns - 1) / kColumns,
               [&](int64_t block) { body(block * kColumns, std::min(kColumns, size - block * kColumns)); });
}

// A row-major matrix whose rows are `stride` values apart.
template <typename T>
struct Matrix {
  T* data;
  int64_t stride;
};

// out [rows, n] = or += gradient [rows, k] weight [k, n]
template <typename T>
void product_back(int64_t rows, int64_t n, int64_t k, Matrix<const T> gradient, Matrix<const T> weight,
                  T beta, Matrix<T> out) {
  for_each_block(n, [&](int64_t begin, int64_t count) {
    gemm(kNo, kNo, rows, count, k, T{1}, gradient.data, gradient.stride, weight.data + begin, weight.stride,
         beta, out.data + begin, out.stride);
  });
}

// weight gradient [n, k] += gradient [rows, n]^T in [rows, k]
template <typename T>
void add_weight_gradient(int64_t rows, int64_t n, int64_t k, Matrix<const T> gradient, Matrix<const T> in,
                         Matrix<T> out) {
  for_each_block(n, [&](int64_t begin, int64_t count) {
    gemm(kYes, kNo, count, k, rows, T{1}, gradient.data + begin, gradient.stride, in.data, in.stride, T{1},
         out.data + begin * out.stride, out.stride);
  });
}

// weight_ih for an input that has the contexts first.
Tensor contexts_first(const DecoderWeights& weights) {
  return torch::roll(weights.weight_ih.detach(), -weights.label_vectors.size(1), 1);
}

template <typename T>
class Run : public DecoderRun {
 public:
  Run(const DecoderWeights& weights, const std::vector<DecoderGroup>& groups, const Tensor& masks,
      int64_t steps, const PackedSteps<T>* packed)
      : w_(contiguous(weights)), masks_(masks.defined() ? masks.contiguous() : masks), packed_(packed) {
    if (packed == nullptr) packed_ = &own_packed_.emplace(weights);
    std::vector<Tensor> first;
    for (const DecoderGroup& group : groups) {
      first.push_back(group.first.detach());
      groups_.push_back({first.back(), {}});
      for (const DecoderMemory& memory : group.memories)
        groups_.back().memories.push_back(contiguous(memory));
    }
    const Tensor start = torch::cat(first);
    s_ = {start.size(0),
          steps,
          start.size(1),
          w_.label_vectors.size(1),
          groups_[0].memories[0].states.size(2),
          static_cast<int64_t>(groups_[0].memories.size())};
    allocate(start.options());
    states_[0].copy_(start);
    list_documents();
  }

  Tensor step(const Tensor& labels) override {
    labels_[done_].copy_(labels);
    const T* before = at(states_, done_);
    packed_->query.forward(s_.batch, before, s_.hidden, at(queries_, done_), s_.hidden);
    parallel_for(s_.batch, [&](int64_t row) { look(row); });
    const int64_t gates = 3 * s_.hidden;
    packed_->input.forward(s_.batch, at(features_, done_) + s_.hidden, s_.features(),
                           from_input_.data_ptr<T>(), gates);
    packed_->state.forward(s_.batch, before, s_.hidden, from_state_.data_ptr<T>(), gates);
    T* features = at(features_, done_);
    gru_cell(s_.batch, s_.hidden, from_input_.data_ptr<T>(), from_state_.data_ptr<T>(), before,
             at(gates_, done_), features, s_.features());
    for (int64_t row = 0; row < s_.batch; ++row) {
      std::copy_n(features + row * s_.features(), s_.hidden, at(states_, done_ + 1) + row * s_.hidden);
    }
    return features_[done_++];
  }

  std::vector<DecoderGroup> backward(const Tensor& gradient, DecoderWeights& gradients) override;

  const Tensor& features() const override { return features_; }
  const Tensor& attention(size_t m) const override { return weights_[m]; }

 private:
  // A document's parts of the memories, and where their gradients go.
  struct Row {
    AttendedDocument<T> memories[2];
    T *state_gradients[2], *key_gradients[2];
  };

  // Gradients that live through the backward. Row t of the first three belongs to step t.
  struct Back {
    Tensor queries;   // [steps, batch, hidden]
    Tensor input;     // of x_r, x_z, x_n [steps, batch, 3 hidden]
    Tensor state;     // of h_r, h_z, h_n [steps, batch, 3 hidden]
    Tensor contexts;  // [batch, steps, contexts]
    Tensor carry;     // of the state after the step at hand, as far as later steps gave it [batch, hidden]
    Tensor next;      // the same with the step's own part
    Tensor x;         // of the GRU's input [batch, input]
    Tensor energy;    // of each document [batch, hidden]
  };

  static DecoderMemory contiguous(const DecoderMemory& memory) {
    return {memory.states.detach().contiguous(), memory.keys.detach().contiguous(),
            memory.lengths.contiguous()};
  }
  static DecoderWeights contiguous(const DecoderWeights& w) {
    auto own = [](const Tensor& tensor) { return tensor.detach().contiguous(); };
    return {own(w.label_vectors), own(w.query_weight), own(w.query_bias), own(w.energy),
            own(w.weight_ih),     own(w.weight_hh),    own(w.bias_ih),    own(w.bias_hh)};
  }

  static T* at(const Tensor& tensor, int64_t index) {
    return tensor.data_ptr<T>() + index * tensor.stride(0);
  }

  void allocate(const torch::TensorOptions& options) {
    auto by_step = [&](int64_t steps, int64_t width) {
      return torch::empty({steps, s_.batch, width}, options);
    };
    states_ = by_step(s_.steps + 1, s_.hidden);
    queries_ = by_step(s_.steps, s_.hidden);
    gates_ = by_step(s_.steps, 4 * s_.hidden);
    features_ = by_step(s_.steps, s_.features());
    from_input_ = torch::empty({s_.batch, 3 * s_.hidden}, options);
    from_state_ = torch::empty({s_.batch, 3 * s_.hidden}, options);
    labels_ = torch::empty({s_.steps, s_.batch}, torch::kInt64);
    for (int64_t m = 0; m < s_.memories; ++m) {
      int64_t most = 0;
      for (const DecoderGroup& group : groups_) most = std::max(most, group.memories[m].states.size(1));
      weights_.push_back(torch::zeros({s_.steps, s_.batch, most}, options));
    }
  }

  void list_documents() {
    for (const DecoderGroup& group : groups_) {
      for (int64_t i = 0; i < group.first.size(0); ++i) {
        rows_.emplace_back();
        for (int64_t m = 0; m < s_.memories; ++m) {
          const DecoderMemory& memory = group.memories[m];
          rows_.back().memories[m] = {at(memory.keys, i), at(memory.states, i),
                                      memory.lengths.template data_ptr<int64_t>()[i], s_.hidden, s_.width};
        }
      }
    }
  }

  T* attention_weights(int64_t m, int64_t t, int64_t row) const {
    return at(weights_[m], t) + row * weights_[m].size(2);
  }

  // What a document reads and sees at this step: the contexts and the label vector of its features.
  void look(int64_t row) {
    T* features = at(features_, done_) + row * s_.features();
    for (int64_t m = 0; m < s_.memories; ++m) {
      attend(rows_[row].memories[m], at(queries_, done_) + row * s_.hidden, w_.energy.template data_ptr<T>(),
             attention_weights(m, done_, row), features + s_.hidden + m * s_.width);
    }
    T* label = features + s_.hidden + s_.contexts();
    std::copy_n(at(w_.label_vectors, label_read(done_, row)), s_.label, label);
    if (const T* mask = mask_of(done_, row)) {
      for (int64_t j = 0; j < s_.label; ++j) label[j] *= mask[j];
    }
  }

  int64_t label_read(int64_t t, int64_t row) const { return labels_.data_ptr<int64_t>()[t * s_.batch + row]; }
  const T* mask_of(int64_t t, int64_t row) const {
    return masks_.defined() ? at(masks_, t) + row * s_.label : nullptr;
  }

  std::vector<DecoderGroup> zero_gradients();
  void step_back(int64_t t, const T* gradient, Back& back);
  void look_back(int64_t t, int64_t row, const T* gradient, Back& back);
  void add_label_gradients(int64_t t, const T* gradient, const Back& back, Tensor& label_vectors);
  void add_weight_gradients(const Back& back, DecoderWeights& gradients);
  void state_gradients(const Back& back);

  DecoderWeights w_;
  std::vector<DecoderGroup> groups_;
  Tensor masks_;
  std::optional<PackedSteps<T>> own_packed_;
  const PackedSteps<T>* packed_;
  Sizes s_{};
  int64_t done_ = 0;
  std::vector<Row> rows_;
  // What the steps leave for the backward; row t belongs to step t.
  Tensor states_;                   // s_{t-1} [steps + 1, batch, hidden]: what step t starts from
  Tensor queries_;                  // [steps, batch, hidden]
  Tensor gates_;                    // r, z, n, h_n [steps, batch, 4 hidden]
  Tensor labels_;                   // ids read [steps, batch] int64
  Tensor features_;                 // [steps, batch, features]
  std::vector<Tensor> weights_;     // attention per memory [steps, batch, positions]
  Tensor from_input_, from_state_;  // [batch, 3 hidden]
};

template <typename T>
std::vector<DecoderGroup> Run<T>::zero_gradients() {
  std::vector<DecoderGroup> gradients;
  size_t row = 0;
  for (const DecoderGroup& group : groups_) {
    DecoderGroup own;
    for (const DecoderMemory& memory : group.memories) {
      own.memories.push_back({torch::zeros_like(memory.states), torch::zeros_like(memory.keys), {}});
    }
    for (int64_t i = 0; i < group.first.size(0); ++i, ++row) {
      for (int64_t m = 0; m < s_.memories; ++m) {
        rows_[row].state_gradients[m] = at(own.memories[m].states, i);
        rows_[row].key_gradients[m] = at(own.memories[m].keys, i);
      }
    }
    gradients.push_back(own);
  }
  return gradients;
}

template <typename T>
std::vector<DecoderGroup> Run<T>::backward(const Tensor& gradient, DecoderWeights& gradients) {
  std::vector<DecoderGroup> result = zero_gradients();
  const auto options = states_.options();
  Back back;
  back.queries = torch::zeros_like(queries_);
  back.input = torch::empty({s_.steps, s_.batch, 3 * s_.hidden}, options);
  back.state = torch::empty_like(back.input);
  back.contexts = torch::empty({s_.batch, s_.steps, s_.contexts()}, options);
  back.carry = torch::zeros({s_.batch, s_.hidden}, options);
  back.next = torch::empty_like(back.carry);
  back.x = torch::empty({s_.batch, s_.input()}, options);
  back.energy = torch::zeros({s_.batch, s_.hidden}, options);
  for (int64_t t = s_.steps - 1; t >= 0; --t) {
    const T* own = at(gradient, t);
    step_back(t, own, back);
    add_label_gradients(t, own, back, gradients.label_vectors);
  }
  add_weight_gradients(back, gradients);
  state_gradients(back);
  int64_t row = 0;
  for (DecoderGroup& group : result) {
    const int64_t documents = group.memories[0].states.size(0);
    group.first = back.carry.narrow(0, row, documents);
    row += documents;
  }
  return result;
}

// On entry back.carry is the gradient of the state after step t as far as later steps gave it, on return that
// of the state before it.
template <typename T>
void Run<T>::step_back(int64_t t, const T* gradient, Back& back) {
  T *carry = back.carry.template data_ptr<T>(), *next = back.next.template data_ptr<T>();
  T *input = at(back.input, t), *state = at(back.state, t);
  for (int64_t row = 0; row < s_.batch; ++row) {
    const T* own = gradient + row * s_.features();
    for (int64_t j = 0; j < s_.hidden; ++j) next[row * s_.hidden + j] = own[j] + carry[row * s_.hidden + j];
  }
  gru_cell_backward(s_.batch, s_.hidden, at(gates_, t), at(states_, t), next, input, state, carry);
  const int64_t gates = 3 * s_.hidden;
  product_back<T>(s_.batch, s_.hidden, gates, {state, gates},
                  {w_.weight_hh.template data_ptr<T>(), s_.hidden}, T{1}, {carry, s_.hidden});
  product_back<T>(s_.batch, s_.input(), gates, {input, gates},
                  {w_.weight_ih.template data_ptr<T>(), s_.input()}, T{0},
                  {back.x.template data_ptr<T>(), s_.input()});
  parallel_for(s_.batch, [&](int64_t row) { look_back(t, row, gradient, back); });
  product_back<T>(s_.batch, s_.hidden, s_.hidden, {at(back.queries, t), s_.hidden},
                  {w_.query_weight.template data_ptr<T>(), s_.hidden}, T{1}, {carry, s_.hidden});
}

template <typename T>
void Run<T>::look_back(int64_t t, int64_t row, const T* gradient, Back& back) {
  const T* own = gradient + row * s_.features() + s_.hidden;  // of the contexts, then the label
  const T* x = back.x.template data_ptr<T>() + row * s_.input() + s_.label;  // the label goes first here
  T* contexts = at(back.contexts, row) + t * s_.contexts();
  for (int64_t j = 0; j < s_.contexts(); ++j) contexts[j] = own[j] + x[j];
  T* query = at(back.queries, t) + row * s_.hidden;
  std::vector<T> scratch, part(s_.hidden);
  for (int64_t m = 0; m < s_.memories; ++m) {
    scratch.resize(rows_[row].memories[m].positions);
    attend_backward(rows_[row].memories[m], at(queries_, t) + row * s_.hidden,
                    w_.energy.template data_ptr<T>(), attention_weights(m, t, row), contexts + m * s_.width,
                    scratch.data(), {part.data(), rows_[row].key_gradients[m], at(back.energy, row)});
    for (int64_t j = 0; j < s_.hidden; ++j) query[j] += part[j];
  }
}

template <typename T>
void Run<T>::add_label_gradients(int64_t t, const T* gradient, const Back& back, Tensor& label_vectors) {
  for (int64_t row = 0; row < s_.batch; ++row) {
    const T* from_features = gradient + row * s_.features() + s_.hidden + s_.contexts();
    const T* from_input = back.x.template data_ptr<T>() + row * s_.input();
    const T* mask = mask_of(t, row);
    T* to = at(label_vectors, label_read(t, row));
    for (int64_t j = 0; j < s_.label; ++j) {
      to[j] += (from_features[j] + from_input[j]) * (mask != nullptr ? mask[j] : T{1});
    }
  }
}

// Over all steps and documents at once.
template <typename T>
void Run<T>::add_weight_gradients(const Back& back, DecoderWeights& gradients) {
  const int64_t rows = s_.steps * s_.batch, gates = 3 * s_.hidden;
  const Matrix<const T> before{states_.data_ptr<T>(), s_.hidden};
  const Matrix<const T> input{back.input.template data_ptr<T>(), gates};
  add_weight_gradient<T>(rows, s_.hidden, s_.hidden, {back.queries.template data_ptr<T>(), s_.hidden}, before,
                         {gradients.query_weight.template data_ptr<T>(), s_.hidden});
  add_weight_gradient<T>(rows, gates, s_.hidden, {back.state.template data_ptr<T>(), gates}, before,
                         {gradients.weight_hh.template data_ptr<T>(), s_.hidden});
  const T* contexts = features_.data_ptr<T>() + s_.hidden;
  T* weight_ih = gradients.weight_ih.template data_ptr<T>();
  add_weight_gradient<T>(rows, gates, s_.label, input, {contexts + s_.contexts(), s_.features()},
                         {weight_ih, s_.input()});
  add_weight_gradient<T>(rows, gates, s_.contexts(), input, {contexts, s_.features()},
                         {weight_ih + s_.label, s_.input()});
  gradients.query_bias.add_(back.queries.flatten(0, 1).sum(0));
  gradients.bias_ih.add_(back.input.flatten(0, 1).sum(0));
  gradients.bias_hh.add_(back.state.flatten(0, 1).sum(0));
  gradients.energy.add_(back.energy.sum(0));
}

// d h_i = sum over steps of a_ti * d c_t: per document [positions, steps] [steps, width].
template <typename T>
void Run<T>::state_gradients(const Back& back) {
  parallel_for(s_.batch, [&](int64_t row) {
    for (int64_t m = 0; m < s_.memories; ++m) {
      gemm(kYes, kNo, rows_[row].memories[m].positions, s_.width, s_.steps, T{1},
           attention_weights(m, 0, row), weights_[m].stride(0), at(back.contexts, row) + m * s_.width,
           s_.contexts(), T{0}, rows_[row].state_gradients[m], s_.width);
    }
  });
}

}  // namespace

template <typename T>
PackedSteps<T>::PackedSteps(const DecoderWeights& weights)
    : query(pack_linear<T>(weights.query_weight, weights.query_bias)),
      state(pack_linear<T>(weights.weight_hh, weights.bias_hh)),
      input(pack_linear<T>(contexts_first(weights), weights.bias_ih)) {}

template struct PackedSteps<float>;

std::unique_ptr<DecoderRun> DecoderRun::make(const DecoderWeights& weights,
                                             const std::vector<DecoderGroup>& groups, const Tensor& masks,
                                             int64_t steps, const PackedSteps<float>* packed) {
  torch::NoGradGuard no_gradient;
  if (groups[0].first.scalar_type() == torch::kFloat32) {
    return std::make_unique<Run<float>>(weights, groups, masks, steps, packed);
  }
  return std::make_unique<Run<double>>(weights, groups, masks, steps, nullptr);
}

}  // namespace otseq2set
