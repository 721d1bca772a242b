#include "otseq2set/autograd/decoder_run.h"

#include <algorithm>
#include <optional>

#include "otseq2set/autograd/blas.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/decoder_steps.h"
#include "otseq2set/kernels/gru_cell.h"

namespace otseq2set::inline autograd {

namespace {

using torch::Tensor;

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
void product_back(int64_t rows, int64_t n, int64_t k, Matrix<const T> gradient, Matrix<const T> weight, T beta,
                  Matrix<T> out) {
  for_each_block(n, [&](int64_t begin, int64_t count) {
    gemm(kNo, kNo, rows, count, k, T{1}, gradient.data, gradient.stride, weight.data + begin, weight.stride, beta,
         out.data + begin, out.stride);
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

template <typename T>
T* at(const Tensor& tensor, int64_t index) {
  return tensor.data_ptr<T>() + index * tensor.stride(0);
}

DecoderWeights contiguous(const DecoderWeights& w) {
  const auto own = [](const Tensor& tensor) { return tensor.detach().contiguous(); };
  return {own(w.label_vectors), own(w.query_weight), own(w.query_bias), own(w.v),
          own(w.weight_ih),     own(w.weight_hh),    own(w.bias_ih),    own(w.bias_hh)};
}

DecoderGroup contiguous(const DecoderGroup& group) {
  DecoderGroup own{group.first.detach().contiguous(), {}};
  for (const DecoderMemory& memory : group.memories) {
    own.memories.push_back(
        {memory.states.detach().contiguous(), memory.keys.detach().contiguous(), memory.lengths.contiguous()});
  }
  return own;
}

template <typename T>
PackedSteps<T> packed(const DecoderWeights& w) {
  const auto data = [](const Tensor& tensor) { return tensor.data_ptr<T>(); };
  const int64_t label = w.label_vectors.size(1);
  return PackedSteps<T>({w.query_weight.size(0), label, w.weight_ih.size(1) - label, data(w.label_vectors),
                         data(w.query_weight), data(w.query_bias), data(w.v), data(w.weight_ih), data(w.weight_hh),
                         data(w.bias_ih), data(w.bias_hh)});
}

template <typename T>
std::vector<StepDocument<T>> documents_of(const std::vector<DecoderGroup>& groups) {
  std::vector<StepDocument<T>> documents;
  for (const DecoderGroup& group : groups) {
    for (int64_t i = 0; i < group.first.size(0); ++i) {
      documents.push_back({at<T>(group.first, i), {}});
      for (size_t m = 0; m < group.memories.size(); ++m) {
        const DecoderMemory& memory = group.memories[m];
        documents.back().memories[m] = {at<T>(memory.keys, i), at<T>(memory.states, i),
                                        memory.lengths.data_ptr<int64_t>()[i], memory.keys.size(2),
                                        memory.states.size(2)};
      }
    }
  }
  return documents;
}

template <typename T>
class Run : public DecoderRun {
 public:
  Run(const DecoderWeights& weights, const std::vector<DecoderGroup>& groups, const Tensor& masks, int64_t steps)
      : w_(contiguous(weights)), masks_(masks.defined() ? masks.contiguous() : masks), packed_(packed<T>(w_)) {
    for (const DecoderGroup& group : groups) groups_.push_back(contiguous(group));
    steps_.emplace(packed_, documents_of<T>(groups_), static_cast<int64_t>(groups_[0].memories.size()), steps,
                   masks_.defined() ? masks_.data_ptr<T>() : nullptr);
    s_ = {steps_->batch(),   steps, packed_.hidden, packed_.label_width, groups_[0].memories[0].states.size(2),
          steps_->memories()};
    gradients_.resize(s_.batch);
  }

  Tensor step(const Tensor& labels) override {
    steps_->read(labels.contiguous().data_ptr<int64_t>());
    return wrapped(steps_->advance(), {s_.batch, s_.features()});
  }

  std::vector<DecoderGroup> backward(const Tensor& gradient, DecoderWeights& gradients) override;

  Tensor features() override { return wrapped(steps_->features(0), {s_.steps, s_.batch, s_.features()}); }

 private:
  // Where the gradients of a document's memories go.
  struct Row {
    T *states[2], *keys[2];
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
    Tensor v;         // of each document [batch, hidden]
  };

  // Memory of the steps as a tensor.
  Tensor wrapped(T* data, torch::IntArrayRef shape) const {
    return torch::from_blob(data, shape, w_.v.options().requires_grad(false));
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
  PackedSteps<T> packed_;
  std::optional<DecoderSteps<T>> steps_;
  Sizes s_{};
  std::vector<Row> gradients_;
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
        gradients_[row].states[m] = at<T>(own.memories[m].states, i);
        gradients_[row].keys[m] = at<T>(own.memories[m].keys, i);
      }
    }
    gradients.push_back(own);
  }
  return gradients;
}

template <typename T>
std::vector<DecoderGroup> Run<T>::backward(const Tensor& gradient, DecoderWeights& gradients) {
  std::vector<DecoderGroup> result = zero_gradients();
  const auto options = w_.v.options().requires_grad(false);
  Back back;
  back.queries = torch::zeros({s_.steps, s_.batch, s_.hidden}, options);
  back.input = torch::empty({s_.steps, s_.batch, 3 * s_.hidden}, options);
  back.state = torch::empty_like(back.input);
  back.contexts = torch::empty({s_.batch, s_.steps, s_.contexts()}, options);
  back.carry = torch::zeros({s_.batch, s_.hidden}, options);
  back.next = torch::empty_like(back.carry);
  back.x = torch::empty({s_.batch, s_.input()}, options);
  back.v = torch::zeros({s_.batch, s_.hidden}, options);
  for (int64_t t = s_.steps - 1; t >= 0; --t) {
    const T* own = at<T>(gradient, t);
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
  T *input = at<T>(back.input, t), *state = at<T>(back.state, t);
  for (int64_t row = 0; row < s_.batch; ++row) {
    const T* own = gradient + row * s_.features();
    for (int64_t j = 0; j < s_.hidden; ++j) next[row * s_.hidden + j] = own[j] + carry[row * s_.hidden + j];
  }
  gru_cell_backward(
      GruCellBack<T>{s_.batch, s_.hidden, steps_->gates(t), steps_->state_before(t), next, input, state, carry});
  const int64_t gates = 3 * s_.hidden;
  product_back<T>(s_.batch, s_.hidden, gates, {state, gates}, {w_.weight_hh.template data_ptr<T>(), s_.hidden}, T{1},
                  {carry, s_.hidden});
  product_back<T>(s_.batch, s_.input(), gates, {input, gates}, {w_.weight_ih.template data_ptr<T>(), s_.input()}, T{0},
                  {back.x.template data_ptr<T>(), s_.input()});
  parallel_for(s_.batch, [&](int64_t row) { look_back(t, row, gradient, back); });
  product_back<T>(s_.batch, s_.hidden, s_.hidden, {at<T>(back.queries, t), s_.hidden},
                  {w_.query_weight.template data_ptr<T>(), s_.hidden}, T{1}, {carry, s_.hidden});
}

template <typename T>
void Run<T>::look_back(int64_t t, int64_t row, const T* gradient, Back& back) {
  const T* own = gradient + row * s_.features() + s_.hidden;                 // of the contexts, then the label
  const T* x = back.x.template data_ptr<T>() + row * s_.input() + s_.label;  // the label goes first here
  T* contexts = at<T>(back.contexts, row) + t * s_.contexts();
  for (int64_t j = 0; j < s_.contexts(); ++j) contexts[j] = own[j] + x[j];
  T* query = at<T>(back.queries, t) + row * s_.hidden;
  std::vector<T> scratch, part(s_.hidden);
  for (int64_t m = 0; m < s_.memories; ++m) {
    const AttendedDocument<T>& memory = steps_->documents()[row].memories[m];
    scratch.resize(memory.positions);
    attend_backward(AttentionStepBack<T>{memory, steps_->query(t) + row * s_.hidden, w_.v.template data_ptr<T>(),
                                         steps_->attention(m, t, row), contexts + m * s_.width, scratch.data(),
                                         part.data(), gradients_[row].keys[m], at<T>(back.v, row)});
    for (int64_t j = 0; j < s_.hidden; ++j) query[j] += part[j];
  }
}

template <typename T>
void Run<T>::add_label_gradients(int64_t t, const T* gradient, const Back& back, Tensor& label_vectors) {
  for (int64_t row = 0; row < s_.batch; ++row) {
    const T* from_features = gradient + row * s_.features() + s_.hidden + s_.contexts();
    const T* from_input = back.x.template data_ptr<T>() + row * s_.input();
    const T* mask = steps_->mask(t, row);
    T* to = at<T>(label_vectors, steps_->labels(t)[row]);
    for (int64_t j = 0; j < s_.label; ++j) {
      to[j] += (from_features[j] + from_input[j]) * (mask != nullptr ? mask[j] : T{1});
    }
  }
}

// Over all steps and documents at once.
template <typename T>
void Run<T>::add_weight_gradients(const Back& back, DecoderWeights& gradients) {
  const int64_t rows = s_.steps * s_.batch, gates = 3 * s_.hidden;
  const Matrix<const T> before{steps_->state_before(0), s_.hidden};
  const Matrix<const T> input{back.input.template data_ptr<T>(), gates};
  add_weight_gradient<T>(rows, s_.hidden, s_.hidden, {back.queries.template data_ptr<T>(), s_.hidden}, before,
                         {gradients.query_weight.template data_ptr<T>(), s_.hidden});
  add_weight_gradient<T>(rows, gates, s_.hidden, {back.state.template data_ptr<T>(), gates}, before,
                         {gradients.weight_hh.template data_ptr<T>(), s_.hidden});
  const T* contexts = steps_->features(0) + s_.hidden;
  T* weight_ih = gradients.weight_ih.template data_ptr<T>();
  add_weight_gradient<T>(rows, gates, s_.label, input, {contexts + s_.contexts(), s_.features()},
                         {weight_ih, s_.input()});
  add_weight_gradient<T>(rows, gates, s_.contexts(), input, {contexts, s_.features()},
                         {weight_ih + s_.label, s_.input()});
  gradients.query_bias.add_(back.queries.flatten(0, 1).sum(0));
  gradients.bias_ih.add_(back.input.flatten(0, 1).sum(0));
  gradients.bias_hh.add_(back.state.flatten(0, 1).sum(0));
  gradients.v.add_(back.v.sum(0));
}

// d h_i = sum over steps of a_ti * d c_t: per document [positions, steps] [steps, width].
template <typename T>
void Run<T>::state_gradients(const Back& back) {
  parallel_for(s_.batch, [&](int64_t row) {
    for (int64_t m = 0; m < s_.memories; ++m) {
      gemm(kYes, kNo, steps_->documents()[row].memories[m].positions, s_.width, s_.steps, T{1},
           steps_->attention(m, 0, row), steps_->attention_stride(m), at<T>(back.contexts, row) + m * s_.width,
           s_.contexts(), T{0}, gradients_[row].states[m], s_.width);
    }
  });
}

}  // namespace

std::vector<Tensor> DecoderGroup::tensors() const {
  std::vector<Tensor> all = {first};
  for (const DecoderMemory& memory : memories) all.insert(all.end(), {memory.states, memory.keys});
  return all;
}

std::unique_ptr<DecoderRun> DecoderRun::make(const DecoderWeights& weights, const std::vector<DecoderGroup>& groups,
                                             const Tensor& masks, int64_t steps) {
  torch::NoGradGuard no_gradient;
  if (groups[0].first.scalar_type() == torch::kFloat32) {
    return std::make_unique<Run<float>>(weights, groups, masks, steps);
  }
  return std::make_unique<Run<double>>(weights, groups, masks, steps);
}

}  // namespace otseq2set::inline autograd
