// The GRU against oneDNN's, which others wrote: linear before reset, both directions, forward and backward.
// Documents are of equal length, as it knows no others.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

#include "otseq2set/autograd/gru.h"
#include "support/torch_golden.h"

namespace otseq2set::testing {
namespace {

using dnnl::memory;
using torch::Tensor;
using Tag = memory::format_tag;

constexpr auto kFloat = memory::data_type::f32;

memory::dims dims_of(const Tensor& tensor) { return {tensor.sizes().begin(), tensor.sizes().end()}; }

// oneDNN's gates are z, r, n where ours are r, z, n; its own inverse. The gates are dimension 0.
Tensor with_gates_swapped(const Tensor& tensor) {
  std::vector<Tensor> gates = tensor.unbind(0);
  std::swap(gates[0], gates[1]);
  return torch::stack(gates);
}

// [3 hidden, input] of each direction -> [layers, directions, input, gates, hidden]
Tensor dnnl_weights(const Tensor& ahead, const Tensor& back) {
  std::vector<Tensor> directions;
  for (const Tensor& weight : {ahead, back}) {
    directions.push_back(with_gates_swapped(weight.view({3, -1, weight.size(1)})).permute({2, 0, 1}));
  }
  return torch::stack(directions).unsqueeze(0).contiguous();
}

Tensor own_weight(const Tensor& weights, int64_t direction) {
  const Tensor gates = with_gates_swapped(weights[0][direction].permute({1, 2, 0}));
  return gates.reshape({-1, gates.size(2)});
}

// Biases of z and r count once, n has one inside and one outside of the reset gate:
// [layers, directions, 4, hidden].
Tensor dnnl_bias(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> directions;
  for (size_t direction : {0, 1}) {
    const Tensor input = parameters[4 * direction + 2].view({3, -1}),
                 state = parameters[4 * direction + 3].view({3, -1});
    directions.push_back(torch::stack({input[1] + state[1], input[0] + state[0], input[2], state[2]}));
  }
  return torch::stack(directions).unsqueeze(0).contiguous();
}

// The gradients of both of our biases of a direction.
std::vector<Tensor> own_biases(const Tensor& bias, int64_t direction) {
  const Tensor gates = bias[0][direction];
  return {torch::cat({gates[1], gates[0], gates[2]}), torch::cat({gates[1], gates[0], gates[3]})};
}

struct Outcome {
  Tensor states;                  // [documents, words, 2 hidden]
  std::vector<Tensor> gradients;  // of x and the parameters
};

class DnnlGru {
 public:
  Outcome run(const Tensor& x, const std::vector<Tensor>& parameters, const Tensor& gradient) {
    const Tensor source = x.transpose(0, 1).contiguous(), states_gradient = gradient.transpose(0, 1).contiguous();
    const Tensor weights = dnnl_weights(parameters[0], parameters[4]),
                 recurrent = dnnl_weights(parameters[1], parameters[5]), bias = dnnl_bias(parameters);
    Tensor states = torch::empty_like(states_gradient), x_gradient = torch::zeros_like(source);
    Tensor weight_gradient = torch::empty_like(weights), recurrent_gradient = torch::empty_like(recurrent),
           bias_gradient = torch::zeros_like(bias);

    constexpr auto kBoth = dnnl::rnn_direction::bidirectional_concat;
    const memory in = at(source, Tag::tnc), out = at(states, Tag::tnc), biases = at(bias, Tag::ldgo);
    const memory::desc none, any_weights = any(weights), any_recurrent = any(recurrent);
#if DNNL_VERSION_MAJOR < 3
    const dnnl::lbr_gru_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, kBoth, in.get_desc(), none, any_weights, any_recurrent, biases.get_desc(),
         out.get_desc(), none},
        engine_);
    const dnnl::lbr_gru_backward::primitive_desc backward(
        {dnnl::prop_kind::backward, kBoth, in.get_desc(), none, any_weights, any_recurrent, biases.get_desc(),
         out.get_desc(), none, in.get_desc(), none, any_weights, any_recurrent, biases.get_desc(), out.get_desc(),
         none},
        engine_, forward);
#else  // the same without a description of its own
    const dnnl::lbr_gru_forward::primitive_desc forward(engine_, dnnl::prop_kind::forward_training, kBoth,
                                                        in.get_desc(), none, any_weights, any_recurrent,
                                                        biases.get_desc(), out.get_desc(), none);
    const dnnl::lbr_gru_backward::primitive_desc backward(
        engine_, dnnl::prop_kind::backward, kBoth, in.get_desc(), none, any_weights, any_recurrent, biases.get_desc(),
        out.get_desc(), none, in.get_desc(), none, any_weights, any_recurrent, biases.get_desc(), out.get_desc(), none,
        forward);
#endif

    const memory user_weights = at(weights, Tag::ldigo), user_recurrent = at(recurrent, Tag::ldigo);
    memory workspace(forward.workspace_desc(), engine_);
    dnnl::lbr_gru_forward(forward).execute(
        stream_, {{DNNL_ARG_SRC_LAYER, in},
                  {DNNL_ARG_WEIGHTS_LAYER, reordered(user_weights, forward.weights_layer_desc())},
                  {DNNL_ARG_WEIGHTS_ITER, reordered(user_recurrent, forward.weights_iter_desc())},
                  {DNNL_ARG_BIAS, biases},
                  {DNNL_ARG_DST_LAYER, out},
                  {DNNL_ARG_WORKSPACE, workspace}});
    // The gradients of weights and biases are added to what is there.
    const memory of_weights = zeros(backward.diff_weights_layer_desc()),
                 of_recurrent = zeros(backward.diff_weights_iter_desc());
    dnnl::lbr_gru_backward(backward).execute(
        stream_, {{DNNL_ARG_SRC_LAYER, in},
                  {DNNL_ARG_WEIGHTS_LAYER, reordered(user_weights, backward.weights_layer_desc())},
                  {DNNL_ARG_WEIGHTS_ITER, reordered(user_recurrent, backward.weights_iter_desc())},
                  {DNNL_ARG_BIAS, biases},
                  {DNNL_ARG_DST_LAYER, out},
                  {DNNL_ARG_WORKSPACE, workspace},
                  {DNNL_ARG_DIFF_DST_LAYER, at(states_gradient, Tag::tnc)},
                  {DNNL_ARG_DIFF_SRC_LAYER, at(x_gradient, Tag::tnc)},
                  {DNNL_ARG_DIFF_WEIGHTS_LAYER, of_weights},
                  {DNNL_ARG_DIFF_WEIGHTS_ITER, of_recurrent},
                  {DNNL_ARG_DIFF_BIAS, at(bias_gradient, Tag::ldgo)}});
    copy(of_weights, at(weight_gradient, Tag::ldigo));
    copy(of_recurrent, at(recurrent_gradient, Tag::ldigo));
    stream_.wait();

    Outcome outcome{states.transpose(0, 1), {x_gradient.transpose(0, 1)}};
    for (int64_t direction : {0, 1}) {
      outcome.gradients.push_back(own_weight(weight_gradient, direction));
      outcome.gradients.push_back(own_weight(recurrent_gradient, direction));
      for (const Tensor& each : own_biases(bias_gradient, direction)) outcome.gradients.push_back(each);
    }
    return outcome;
  }

 private:
  memory at(const Tensor& tensor, Tag tag) {
    return memory({dims_of(tensor), kFloat, tag}, engine_, tensor.data_ptr<float>());
  }
  // A layout of oneDNN's choice.
  static memory::desc any(const Tensor& tensor) { return {dims_of(tensor), kFloat, Tag::any}; }

  void copy(memory from, memory to) { dnnl::reorder(from, to).execute(stream_, from, to); }
  memory reordered(const memory& from, const memory::desc& layout) {
    memory result(layout, engine_);
    copy(from, result);
    return result;
  }
  memory zeros(const memory::desc& layout) {
    memory result(layout, engine_);
    std::memset(result.get_data_handle(), 0, layout.get_size());
    return result;
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
};

TEST(GruAgainstOneDnn, ForwardAndBackward) {
  for (const auto& [documents, words, input, hidden] :
       std::vector<std::array<int64_t, 4>>{{5, 30, 24, 40}, {1, 12, 7, 33}, {8, 3, 5, 3}}) {
    SCOPED_TRACE(::testing::Message() << documents << " documents, " << words << " words, hidden " << hidden);
    torch::manual_seed(3);
    const Tensor x = torch::randn({documents, words, input}).requires_grad_();
    std::vector<Tensor> parameters;
    for (int direction = 0; direction < 2; ++direction) {
      for (const std::vector<int64_t>& shape :
           {std::vector<int64_t>{3 * hidden, input}, {3 * hidden, hidden}, {3 * hidden}, {3 * hidden}}) {
        parameters.push_back((torch::randn(shape) * 0.3).requires_grad_());
      }
    }
    const Tensor gradient = torch::randn({documents, words, 2 * hidden});
    const Tensor states = bidirectional_gru(x, torch::full({documents}, words, torch::kInt64), parameters);
    std::vector<Tensor> variables = {x};
    variables.insert(variables.end(), parameters.begin(), parameters.end());
    const auto gradients = torch::autograd::grad({states}, variables, {gradient});

    torch::NoGradGuard no_gradient;
    const Outcome theirs = DnnlGru().run(x, parameters, gradient);
    EXPECT_LE(relative_difference(states, theirs.states), 1e-5);
    ASSERT_EQ(gradients.size(), theirs.gradients.size());
    for (size_t i = 0; i < gradients.size(); ++i) {
      EXPECT_LE(relative_difference(gradients[i], theirs.gradients[i]), 2e-5) << "variable " << i;
    }
  }
}

}  // namespace
}  // namespace otseq2set::testing
