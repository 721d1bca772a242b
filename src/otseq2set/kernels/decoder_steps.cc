#include "otseq2set/kernels/decoder_steps.h"

#include <algorithm>

#include "otseq2set/kernels/attention_step.h"
#include "otseq2set/kernels/blas.h"
#include "otseq2set/kernels/gru_cell.h"

namespace otseq2set {

namespace {

using torch::Tensor;

constexpr auto kNo = Transpose::kNo;
constexpr auto kYes = Transpose::kYes;

struct Sizes {
  int64_t batch, steps, hidden, label, width, memories;
  int64_t contexts() const { return memories * width; }
  int64_t input() const { return label + contexts(); }
  int64_t features() const { return hidden + input(); }
};

// What the forward keeps for the backward. Row t of a tensor belongs to step t.
struct Saved {
  Tensor states;   // s_{t-1} [steps + 1, batch, hidden]; row t is the state that step t starts from
  Tensor queries;  // [steps, batch, hidden]
  Tensor gates;    // r, z, n, h_n [steps, batch, 4 hidden]
  Tensor labels;   // ids read [steps, batch] int64
  std::vector<Tensor> weights;  // attention per memory [steps, batch, positions]
  Tensor features;              // [batch, steps, features]
};

// A document's part of a memory.
template <typename T>
AttendedDocument<T> document_of(const DecoderMemory& memory, int64_t row) {
  const int64_t positions = memory.states.size(1), width = memory.states.size(2),
                hidden = memory.keys.size(2);
  return {memory.keys.data_ptr<T>() + row * positions * hidden,
          memory.states.data_ptr<T>() + row * positions * width, memory.lengths.data_ptr<int64_t>()[row],
          hidden, width};
}

template <typename T>
T* at(const Tensor& tensor, int64_t index) {
  return tensor.data_ptr<T>() + index * tensor.stride(0);
}

// out [rows, n] = in [rows, k] weight [n, k]^T + bias, with `in_stride` values from row to row of `in`.
template <typename T>
void linear(int64_t rows, int64_t n, int64_t k, const T* in, int64_t in_stride, const T* weight,
            int64_t weight_stride, const T* bias, T* out) {
  for (int64_t row = 0; row < rows; ++row) std::copy_n(bias, n, out + row * n);
  gemm(kNo, kYes, rows, n, k, T(1), in, in_stride, weight, weight_stride, T(1), out, n);
}

template <typename T>
class Forward {
 public:
  Forward(const DecoderWeights& weights, const std::vector<DecoderMemory>& memories, const Tensor& masks,
          Sizes sizes)
      : w_(weights), memories_(memories), masks_(masks), s_(sizes) {}

  Saved run(const Tensor& first, const Tensor& first_labels, const ChooseLabels& choose) {
    const auto options = first.options().requires_grad(false);
    saved_.states = torch::empty({s_.steps + 1, s_.batch, s_.hidden}, options);
    saved_.queries = torch::empty({s_.steps, s_.batch, s_.hidden}, options);
    saved_.gates = torch::empty({s_.steps, s_.batch, 4 * s_.hidden}, options);
    saved_.labels = torch::empty({s_.steps, s_.batch}, first_labels.options());
    saved_.features = torch::empty({s_.batch, s_.steps, s_.features()}, options);
    for (const DecoderMemory& memory : memories_) {
      saved_.weights.push_back(torch::zeros({s_.steps, s_.batch, memory.states.size(1)}, options));
    }
    from_input_ = torch::empty({s_.batch, 3 * s_.hidden}, options);
    from_state_ = torch::empty({s_.batch, 3 * s_.hidden}, options);
    saved_.states[0].copy_(first);
    Tensor labels = first_labels;
    for (int64_t t = 0; t < s_.steps; ++t) {
      saved_.labels[t].copy_(labels);
      step(t);
      labels = choose(saved_.features.select(1, t), t);
    }
    return std::move(saved_);
  }

 private:
  // Where step t of a document keeps its features; the parts follow each other: state, contexts, label.
  T* features(int64_t row, int64_t t) {
    return saved_.features.data_ptr<T>() + (row * s_.steps + t) * s_.features();
  }

  void step(int64_t t) {
    const T* before = at<T>(saved_.states, t);
    T* queries = at<T>(saved_.queries, t);
    linear(s_.batch, s_.hidden, s_.hidden, before, s_.hidden, w_.query_weight.data_ptr<T>(), s_.hidden,
           w_.query_bias.data_ptr<T>(), queries);
    for (int64_t row = 0; row < s_.batch; ++row) {
      read_label(row, t);
      for (int64_t m = 0; m < s_.memories; ++m) {
        const Tensor& weights = saved_.weights[m];
        attend(document_of<T>(memories_[m], row), queries + row * s_.hidden, w_.energy.data_ptr<T>(),
               at<T>(weights, t) + row * weights.size(2), features(row, t) + s_.hidden + m * s_.width);
      }
    }
    products(t, before);
    gru_cell(s_.batch, s_.hidden, from_input_.data_ptr<T>(), from_state_.data_ptr<T>(), before,
             at<T>(saved_.gates, t), features(0, t), s_.steps * s_.features());
    for (int64_t row = 0; row < s_.batch; ++row) {
      std::copy_n(features(row, t), s_.hidden, at<T>(saved_.states, t + 1) + row * s_.hidden);
    }
  }

  void read_label(int64_t row, int64_t t) {
    const int64_t id = saved_.labels.data_ptr<int64_t>()[t * s_.batch + row];
    T* to = features(row, t) + s_.hidden + s_.contexts();
    std::copy_n(w_.label_vectors.data_ptr<T>() + id * s_.label, s_.label, to);
    if (!masks_.defined()) return;
    const T* mask = at<T>(masks_, t) + row * s_.label;
    for (int64_t j = 0; j < s_.label; ++j) to[j] *= mask[j];
  }

  // The two products of the GRU. Its input is [label; contexts], which stand the other way round in the
  // features.
  void products(int64_t t, const T* before) {
    const int64_t stride = s_.steps * s_.features();
    const T *contexts = features(0, t) + s_.hidden, *label = contexts + s_.contexts();
    const T* weight = w_.weight_ih.data_ptr<T>();
    T* from_input = from_input_.data_ptr<T>();
    linear(s_.batch, 3 * s_.hidden, s_.label, label, stride, weight, s_.input(), w_.bias_ih.data_ptr<T>(),
           from_input);
    gemm(kNo, kYes, s_.batch, 3 * s_.hidden, s_.contexts(), T(1), contexts, stride, weight + s_.label,
         s_.input(), T(1), from_input, 3 * s_.hidden);
    linear(s_.batch, 3 * s_.hidden, s_.hidden, before, s_.hidden, w_.weight_hh.data_ptr<T>(), s_.hidden,
           w_.bias_hh.data_ptr<T>(), from_state_.data_ptr<T>());
  }

  const DecoderWeights& w_;
  const std::vector<DecoderMemory>& memories_;
  const Tensor& masks_;
  Sizes s_;
  Saved saved_;
  Tensor from_input_, from_state_;  // [batch, 3 hidden]
};

struct Gradients {
  DecoderWeights weights;
  Tensor first;
  std::vector<Tensor> states, keys;  // per memory
};

template <typename T>
class Backward {
 public:
  Backward(const DecoderWeights& weights, const std::vector<DecoderMemory>& memories, const Tensor& masks,
           const Saved& saved, Sizes sizes)
      : w_(weights), memories_(memories), masks_(masks), saved_(saved), s_(sizes) {}

  // gradient: of the features [batch, steps, features].
  Gradients run(const Tensor& gradient) {
    const auto options = gradient.options();
    auto zeros = [&](const Tensor& like) { return torch::zeros(like.sizes(), options); };
    g_.weights.label_vectors = zeros(w_.label_vectors);
    g_.weights.energy = zeros(w_.energy);
    for (const DecoderMemory& memory : memories_) {
      g_.states.push_back(zeros(memory.states));
      g_.keys.push_back(zeros(memory.keys));
    }
    queries_ = torch::empty_like(saved_.queries);
    input_ = torch::empty({s_.steps, s_.batch, 3 * s_.hidden}, options);
    state_ = torch::empty({s_.steps, s_.batch, 3 * s_.hidden}, options);
    contexts_ = torch::empty({s_.batch, s_.steps, s_.contexts()}, options);
    g_.first = torch::zeros({s_.batch, s_.hidden}, options);
    next_ = torch::empty({s_.batch, s_.hidden}, options);
    x_ = torch::empty({s_.batch, s_.input()}, options);
    for (int64_t t = s_.steps - 1; t >= 0; --t) step(t, gradient.data_ptr<T>());
    weight_gradients();
    state_gradients();
    return std::move(g_);
  }

 private:
  // On entry g_.first is the gradient of the state after step t as far as later steps gave it, on return that
  // of the state before it.
  void step(int64_t t, const T* gradient) {
    T* carry = g_.first.data_ptr<T>();
    T* next = next_.data_ptr<T>();
    for (int64_t row = 0; row < s_.batch; ++row) {
      const T* own = gradient + (row * s_.steps + t) * s_.features();
      for (int64_t j = 0; j < s_.hidden; ++j) next[row * s_.hidden + j] = own[j] + carry[row * s_.hidden + j];
    }
    T *input = at<T>(input_, t), *state = at<T>(state_, t);
    gru_cell_backward(s_.batch, s_.hidden, at<T>(saved_.gates, t), at<T>(saved_.states, t), next, input,
                      state, carry);
    gemm(kNo, kNo, s_.batch, s_.hidden, 3 * s_.hidden, T(1), state, 3 * s_.hidden, w_.weight_hh.data_ptr<T>(),
         s_.hidden, T(1), carry, s_.hidden);
    gemm(kNo, kNo, s_.batch, s_.input(), 3 * s_.hidden, T(1), input, 3 * s_.hidden,
         w_.weight_ih.data_ptr<T>(), s_.input(), T(0), x_.data_ptr<T>(), s_.input());
    for (int64_t row = 0; row < s_.batch; ++row) step_of_document(row, t, gradient);
    gemm(kNo, kNo, s_.batch, s_.hidden, s_.hidden, T(1), at<T>(queries_, t), s_.hidden,
         w_.query_weight.data_ptr<T>(), s_.hidden, T(1), carry, s_.hidden);
  }

  void step_of_document(int64_t row, int64_t t, const T* gradient) {
    const T* own =
        gradient + (row * s_.steps + t) * s_.features() + s_.hidden;  // of the contexts, then the label
    const T* x = x_.data_ptr<T>() + row * s_.input();                 // of the label, then the contexts
    add_label(row, t, own + s_.contexts(), x);
    T* contexts = contexts_.data_ptr<T>() + (row * s_.steps + t) * s_.contexts();
    for (int64_t j = 0; j < s_.contexts(); ++j) contexts[j] = own[j] + x[s_.label + j];
    T* query = at<T>(queries_, t) + row * s_.hidden;
    std::fill_n(query, s_.hidden, T(0));
    query_part_.resize(s_.hidden);
    for (int64_t m = 0; m < s_.memories; ++m) {
      const Tensor& weights = saved_.weights[m];
      scratch_.resize(weights.size(2));
      const Tensor& keys = g_.keys[m];
      attend_backward(document_of<T>(memories_[m], row), at<T>(saved_.queries, t) + row * s_.hidden,
                      w_.energy.data_ptr<T>(), at<T>(weights, t) + row * weights.size(2),
                      contexts + m * s_.width, scratch_.data(),
                      {query_part_.data(), at<T>(keys, row), g_.weights.energy.data_ptr<T>()});
      for (int64_t j = 0; j < s_.hidden; ++j) query[j] += query_part_[j];
    }
  }

  void add_label(int64_t row, int64_t t, const T* from_features, const T* from_input) {
    const int64_t id = saved_.labels.data_ptr<int64_t>()[t * s_.batch + row];
    T* to = at<T>(g_.weights.label_vectors, id);
    const T* mask = masks_.defined() ? at<T>(masks_, t) + row * s_.label : nullptr;
    for (int64_t j = 0; j < s_.label; ++j) {
      to[j] += (from_features[j] + from_input[j]) * (mask != nullptr ? mask[j] : T(1));
    }
  }

  // Over all steps and documents at once: gradient^T times what the weight was multiplied with.
  void weight_gradients() {
    const int64_t rows = s_.steps * s_.batch;
    auto product = [&](const Tensor& gradient, const T* in, int64_t in_width, int64_t in_stride, T* out,
                       int64_t out_stride) {
      gemm(kYes, kNo, gradient.size(2), in_width, rows, T(1), gradient.data_ptr<T>(), gradient.size(2), in,
           in_stride, T(0), out, out_stride);
    };
    const Tensor before = saved_.states.narrow(0, 0, s_.steps);
    g_.weights.query_weight = torch::empty_like(w_.query_weight);
    g_.weights.weight_hh = torch::empty_like(w_.weight_hh);
    g_.weights.weight_ih = torch::empty_like(w_.weight_ih);
    product(queries_, before.data_ptr<T>(), s_.hidden, s_.hidden,
            g_.weights.query_weight.template data_ptr<T>(), s_.hidden);
    product(state_, before.data_ptr<T>(), s_.hidden, s_.hidden, g_.weights.weight_hh.template data_ptr<T>(),
            s_.hidden);
    // The features stand by document, the gradients by step.
    const Tensor features = saved_.features.transpose(0, 1).contiguous();
    const T* contexts = features.data_ptr<T>() + s_.hidden;
    T* weight_ih = g_.weights.weight_ih.template data_ptr<T>();
    product(input_, contexts + s_.contexts(), s_.label, s_.features(), weight_ih, s_.input());
    product(input_, contexts, s_.contexts(), s_.features(), weight_ih + s_.label, s_.input());
    g_.weights.query_bias = queries_.sum(torch::IntArrayRef{0, 1});
    g_.weights.bias_ih = input_.sum(torch::IntArrayRef{0, 1});
    g_.weights.bias_hh = state_.sum(torch::IntArrayRef{0, 1});
  }

  // d h_i = sum over steps of a_ti * d c_t: per document [positions, steps] [steps, width].
  void state_gradients() {
    for (int64_t m = 0; m < s_.memories; ++m) {
      const Tensor& weights = saved_.weights[m];
      for (int64_t row = 0; row < s_.batch; ++row) {
        const int64_t positions = memories_[m].lengths.data_ptr<int64_t>()[row];
        gemm(kYes, kNo, positions, s_.width, s_.steps, T(1), weights.data_ptr<T>() + row * weights.size(2),
             s_.batch * weights.size(2),
             contexts_.data_ptr<T>() + row * s_.steps * s_.contexts() + m * s_.width, s_.contexts(), T(0),
             at<T>(g_.states[m], row), s_.width);
      }
    }
  }

  const DecoderWeights& w_;
  const std::vector<DecoderMemory>& memories_;
  const Tensor& masks_;
  const Saved& saved_;
  Sizes s_;
  Gradients g_;
  Tensor queries_, input_, state_;  // gradients of each step's products [steps, batch, ...]
  Tensor contexts_;                 // [batch, steps, contexts]
  Tensor next_, x_;                 // of one step [batch, hidden], [batch, input]
  std::vector<T> scratch_, query_part_;
};

// What one call works on, kept until its backward has run.
struct Call : torch::CustomClassHolder {
  DecoderWeights weights;
  std::vector<DecoderMemory> memories;
  Tensor masks, first_labels;
  ChooseLabels choose;
  Sizes sizes{};
  Saved saved;
};

class DecoderFunction : public torch::autograd::Function<DecoderFunction> {
 public:
  // The tensors are the inputs that autograd has to see; all of them are also in `call`.
  static Tensor forward(torch::autograd::AutogradContext* context, const c10::intrusive_ptr<Call>& call,
                        const Tensor& first, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                        const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                        const Tensor&, const c10::optional<Tensor>&, const c10::optional<Tensor>&) {
    if (first.scalar_type() == torch::kFloat32) {
      call->saved = Forward<float>(call->weights, call->memories, call->masks, call->sizes)
                        .run(first, call->first_labels, call->choose);
    } else {
      call->saved = Forward<double>(call->weights, call->memories, call->masks, call->sizes)
                        .run(first, call->first_labels, call->choose);
    }
    context->saved_data["call"] = c10::IValue::make_capsule(call);
    Tensor features = call->saved.features;
    call->saved.features = features.detach();  // the output itself would keep its own graph alive
    return features;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& outputs) {
    const auto call = c10::static_intrusive_pointer_cast<Call>(context->saved_data["call"].toCapsule());
    const Tensor gradient = outputs[0].contiguous();
    Gradients g;
    if (gradient.scalar_type() == torch::kFloat32) {
      g = Backward<float>(call->weights, call->memories, call->masks, call->saved, call->sizes).run(gradient);
    } else {
      g = Backward<double>(call->weights, call->memories, call->masks, call->saved, call->sizes)
              .run(gradient);
    }
    g.states.resize(2);
    g.keys.resize(2);
    const DecoderWeights& w = g.weights;
    return {Tensor(),    g.first,   w.label_vectors, w.query_weight, w.query_bias, w.energy,    w.weight_ih,
            w.weight_hh, w.bias_ih, w.bias_hh,       g.states[0],    g.keys[0],    g.states[1], g.keys[1]};
  }
};

DecoderWeights contiguous(const DecoderWeights& w) {
  return {w.label_vectors.contiguous(), w.query_weight.contiguous(), w.query_bias.contiguous(),
          w.energy.contiguous(),        w.weight_ih.contiguous(),    w.weight_hh.contiguous(),
          w.bias_ih.contiguous(),       w.bias_hh.contiguous()};
}

}  // namespace

DecoderSteps decoder_steps(const DecoderWeights& weights, const Tensor& first,
                           const std::vector<DecoderMemory>& memories, const Tensor& first_labels,
                           const Tensor& masks, int64_t steps, const ChooseLabels& choose) {
  auto call = c10::make_intrusive<Call>();
  call->weights = contiguous(weights);
  for (const DecoderMemory& memory : memories) {
    call->memories.push_back(
        {memory.states.contiguous(), memory.keys.contiguous(), memory.lengths.contiguous()});
  }
  call->masks = masks;
  call->first_labels = first_labels;
  call->choose = choose;
  call->sizes = {first.size(0),
                 steps,
                 first.size(1),
                 weights.label_vectors.size(1),
                 memories[0].states.size(2),
                 static_cast<int64_t>(memories.size())};
  const DecoderWeights& w = call->weights;
  const std::vector<DecoderMemory>& m = call->memories;
  c10::optional<Tensor> second_states, second_keys;
  if (m.size() == 2) second_states = m[1].states, second_keys = m[1].keys;
  DecoderSteps result;
  result.features = DecoderFunction::apply(call, first, w.label_vectors, w.query_weight, w.query_bias,
                                           w.energy, w.weight_ih, w.weight_hh, w.bias_ih, w.bias_hh,
                                           m[0].states, m[0].keys, second_states, second_keys);
  result.attention = call->saved.weights;
  call->choose = nullptr;  // it may hold on to what its caller uses
  return result;
}

}  // namespace otseq2set
