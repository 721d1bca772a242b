#include "otseq2set/autograd/gru.h"

#include <algorithm>
#include <array>

#include "otseq2set/autograd/blas.h"
#include "otseq2set/autograd/choice.h"
#include "otseq2set/autograd/padding_mask.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/gru_walk.h"

namespace otseq2set::inline autograd {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::array<Direction, 2> kDirections = {Direction::kForward, Direction::kReverse};

// x: [batch, words, input]
GruDocuments documents_of(const Tensor& lengths, const Tensor& x) {
  TORCH_CHECK(x.size(0) >= 1 && lengths.numel() == x.size(0), "one length for each document, got ", lengths.numel(),
              " for ", x.size(0));
  const Tensor all = lengths.contiguous();
  return gru_documents({all.data_ptr<int64_t>(), all.data_ptr<int64_t>() + all.numel()}, x.size(1));
}

// The parameters of one direction.
struct Parameters {
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;

  int64_t input() const { return weight_ih.size(1); }
  int64_t hidden() const { return weight_hh.size(1); }

  template <typename T>
  GruWeights<T> recurrent() const {
    return {hidden(), weight_hh.data_ptr<T>(), bias_ih.data_ptr<T>(), bias_hh.data_ptr<T>()};
  }
};

Parameters parameters_of(const variable_list& all, Direction direction) {
  const size_t first = direction == Direction::kForward ? 0 : 4;
  return {all[first].contiguous(), all[first + 1].contiguous(), all[first + 2].contiguous(),
          all[first + 3].contiguous()};
}

void zero_padding(Tensor& padded, const GruDocuments& documents) {
  for (int64_t i = 0; i < documents.count(); ++i) {
    const int64_t length = documents.lengths[i];
    if (length < documents.words) padded.select(0, i).narrow(0, length, documents.words - length).zero_();
  }
}

// The real words of a padded tensor [batch, words, columns] in the order of gru_walk, [rows, columns].
template <typename T>
Tensor gather_words(const Tensor& padded, const GruDocuments& documents) {
  const int64_t columns = padded.size(2);
  const Tensor from = padded.contiguous();
  Tensor rows = torch::empty({documents.rows(), columns}, from.options());
  for_each_word(documents, [&, from = from.data_ptr<T>(), to = rows.data_ptr<T>()](int64_t row, int64_t i, int64_t t) {
    std::copy_n(from + (i * documents.words + t) * columns, columns, to + row * columns);
  });
  return rows;
}

// The opposite, with zeros behind the ends.
template <typename T>
Tensor spread_words(const Tensor& rows, const GruDocuments& documents) {
  const int64_t columns = rows.size(1);
  Tensor padded = torch::empty({documents.count(), documents.words, columns}, rows.options());
  zero_padding(padded, documents);
  for_each_word(documents,
                [&, from = rows.data_ptr<T>(), to = padded.data_ptr<T>()](int64_t row, int64_t i, int64_t t) {
                  std::copy_n(from + row * columns, columns, to + (i * documents.words + t) * columns);
                });
  return padded;
}

// The state that each word of a direction started from, [rows, hidden]; states: [batch, words, 2 hidden].
template <typename T>
Tensor states_before(const Tensor& states, const GruDocuments& documents, Direction direction) {
  const int64_t hidden = states.size(2) / 2;
  const bool forward = direction == Direction::kForward;
  Tensor before = torch::empty({documents.rows(), hidden}, states.options());
  const T* from = states.data_ptr<T>() + (forward ? 0 : hidden);
  T* to = before.data_ptr<T>();
  for_each_word(documents, [&](int64_t row, int64_t i, int64_t t) {
    const int64_t start = forward ? 0 : documents.lengths[i] - 1, last = forward ? t - 1 : t + 1;
    if (t == start) {
      std::fill_n(to + row * hidden, hidden, T{0});
    } else {
      std::copy_n(from + (i * documents.words + last) * 2 * hidden, hidden, to + row * hidden);
    }
  });
  return before;
}

// words: [rows, input]. Writes one half of the states; returns what gru_walk leaves of the gates.
template <typename T>
Tensor run_direction(const Tensor& words, const GruDocuments& documents, Direction direction,
                     const Parameters& parameters, Tensor& states) {
  const int64_t rows = documents.rows(), input = parameters.input(), hidden = parameters.hidden();
  Tensor gates = torch::empty({rows, 4 * hidden}, states.options());
  gemm(kNo, kYes, rows, 3 * hidden, input, T{1}, words.data_ptr<T>(), input, parameters.weight_ih.data_ptr<T>(), input,
       T{0}, gates.data_ptr<T>(), 4 * hidden);
  const PackedRecurrent<T> packed = pack_recurrent(hidden, parameters.weight_hh.data_ptr<T>());
  gru_walk(GruWalk<T>{documents, direction, parameters.recurrent<T>(), packed.get(), gates.data_ptr<T>(),
                      states.data_ptr<T>()});
  return gates;
}

struct Result {
  Tensor states;        // [batch, words, 2 hidden]
  variable_list gates;  // of each direction [rows, 4 hidden], undefined unless asked for
};

template <typename T>
Result run(const Tensor& x, const Tensor& lengths, const variable_list& parameters, bool keep_gates) {
  torch::NoGradGuard no_gradient;
  const GruDocuments documents = documents_of(lengths, x);
  const Tensor words = gather_words<T>(x, documents);
  Result result{torch::empty({x.size(0), x.size(1), 2 * parameters[1].size(1)}, words.options()), variable_list(2)};
  zero_padding(result.states, documents);
  parallel_for(2, [&](int64_t i) {
    const Direction direction = kDirections[i];
    const Parameters own = parameters_of(parameters, direction);
    Tensor gates = run_direction<T>(words, documents, direction, own, result.states);
    if (keep_gates) result.gates[i] = std::move(gates);
  });
  return result;
}

Result run(const Tensor& x, const Tensor& lengths, const variable_list& parameters, bool keep_gates) {
  const bool single = x.scalar_type() == torch::kFloat32;
  return single ? run<float>(x, lengths, parameters, keep_gates) : run<double>(x, lengths, parameters, keep_gates);
}

// What the backward of a direction starts from.
struct DirectionBack {
  const GruDocuments& documents;
  Direction direction;
  Parameters parameters;
  Tensor words;      // [rows, input]
  Tensor states;     // [batch, words, 2 hidden]
  Tensor gradients;  // the same
  Tensor gates;      // [rows, 4 hidden]
};

// The gradients of weight_ih, weight_hh, bias_ih and bias_hh; leaves those of the gates in their place.
template <typename T>
variable_list run_direction_back(DirectionBack& back) {
  const int64_t rows = back.documents.rows(), input = back.parameters.input(), hidden = back.parameters.hidden();
  const Tensor sums = torch::empty({4 * hidden}, back.gates.options());
  T* gates = back.gates.data_ptr<T>();
  gru_walk_back(GruWalkBack<T>{back.documents, back.direction, back.parameters.recurrent<T>(),
                               back.states.data_ptr<T>(), back.gradients.data_ptr<T>(), gates, sums.data_ptr<T>()});

  const Tensor weight_ih = torch::empty({3 * hidden, input}, sums.options());
  gemm(kYes, kNo, 3 * hidden, input, rows, T{1}, gates, 4 * hidden, back.words.data_ptr<T>(), input, T{0},
       weight_ih.data_ptr<T>(), input);

  const Tensor weight_hh = torch::empty({3 * hidden, hidden}, sums.options());
  const Tensor before = states_before<T>(back.states, back.documents, back.direction);
  T* to = weight_hh.data_ptr<T>();
  gemm(kYes, kNo, 2 * hidden, hidden, rows, T{1}, gates, 4 * hidden, before.data_ptr<T>(), hidden, T{0}, to, hidden);
  gemm(kYes, kNo, hidden, hidden, rows, T{1}, gates + 3 * hidden, 4 * hidden, before.data_ptr<T>(), hidden, T{0},
       to + 2 * hidden * hidden, hidden);
  return {weight_ih, weight_hh, sums.narrow(0, 0, 3 * hidden),
          torch::cat({sums.narrow(0, 0, 2 * hidden), sums.narrow(0, 3 * hidden, hidden)})};
}

// [batch, words, input], once both directions have left the gradients of their gates.
template <typename T>
Tensor input_gradient(const std::vector<DirectionBack>& directions) {
  const GruDocuments& documents = directions[0].documents;
  const int64_t rows = documents.rows(), input = directions[0].parameters.input();
  const int64_t hidden = directions[0].parameters.hidden();
  const Tensor gradient = torch::empty({rows, input}, directions[0].gates.options());
  for (const DirectionBack& back : directions) {
    gemm(kNo, kNo, rows, input, 3 * hidden, T{1}, back.gates.data_ptr<T>(), 4 * hidden,
         back.parameters.weight_ih.data_ptr<T>(), input, back.direction == Direction::kForward ? T{0} : T{1},
         gradient.data_ptr<T>(), input);
  }
  return spread_words<T>(gradient, documents);
}

// What the forward saved.
struct Saved {
  Tensor x, lengths, states;
  variable_list parameters, gates;
};

// The gradients of x, lengths (none) and the parameters.
template <typename T>
variable_list run_back(const Saved& saved, const Tensor& gradient) {
  const GruDocuments documents = documents_of(saved.lengths, saved.x);
  const Tensor words = gather_words<T>(saved.x, documents);
  std::vector<DirectionBack> directions;
  for (size_t i = 0; i < kDirections.size(); ++i) {
    directions.push_back({documents, kDirections[i], parameters_of(saved.parameters, kDirections[i]), words,
                          saved.states, gradient, saved.gates[i]});
  }
  variable_list result(2 + saved.parameters.size());
  parallel_for(2, [&](int64_t i) {
    torch::NoGradGuard no_gradient;
    variable_list own = run_direction_back<T>(directions[i]);
    std::move(own.begin(), own.end(), result.begin() + 2 + 4 * i);
  });
  if (saved.x.requires_grad()) result[0] = input_gradient<T>(directions);
  return result;
}

class BidirectionalGruFunction : public torch::autograd::Function<BidirectionalGruFunction> {
 public:
  template <typename... Parameter>
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& lengths,
                        const Parameter&... parameters) {
    Result result = run(x, lengths, {parameters...}, /*keep_gates=*/true);
    context->save_for_backward({x, lengths, result.states, parameters...});
    context->saved_data["gates"] = result.gates;
    return result.states;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list variables = context->get_saved_variables();
    const Saved saved{
        variables[0], variables[1], variables[2], {variables.begin() + 3, variables.end()}, take_gates(context)};
    const Tensor gradient = gradients[0].contiguous();
    const bool single = gradient.scalar_type() == torch::kFloat32;
    return single ? run_back<float>(saved, gradient) : run_back<double>(saved, gradient);
  }

 private:
  static variable_list take_gates(AutogradContext* context) {
    const auto found = context->saved_data.find("gates");
    TORCH_CHECK(found != context->saved_data.end(), "the backward of bidirectional_gru can run only once");
    variable_list gates = found->second.toTensorVector();
    context->saved_data.erase(found);
    return gates;
  }
};

bool needs_gradient(const Tensor& x, const variable_list& parameters) {
  const auto requires_grad = [](const Tensor& tensor) { return tensor.requires_grad(); };
  return torch::GradMode::is_enabled() &&
         (requires_grad(x) || std::any_of(parameters.begin(), parameters.end(), requires_grad));
}

}  // namespace

Tensor bidirectional_gru(const Tensor& x, const Tensor& lengths, const variable_list& parameters) {
  if (!use_fused_kernel(x)) return bidirectional_gru_plain(x, lengths, parameters);
  if (!needs_gradient(x, parameters)) return run(x, lengths, parameters, /*keep_gates=*/false).states;
  const auto& p = parameters;
  return BidirectionalGruFunction::apply(x, lengths, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
}

// Each direction by itself over the padded documents, the reverse one over documents that were turned round
// within their own length. LibTorch's packed sequences would spare the padding, but their gradient takes a
// time quadratic in the number of words.
Tensor bidirectional_gru_plain(const Tensor& x, const Tensor& lengths, const variable_list& parameters) {
  const Tensor position = torch::arange(x.size(1), lengths.options()).unsqueeze(0);  // [1, words]
  const Tensor length = lengths.unsqueeze(1);                                        // [batch, 1]
  const Tensor turned = torch::where(position < length, length - 1 - position, position).to(x.device());
  const auto turn = [&](const Tensor& rows) {
    return rows.gather(1, turned.unsqueeze(2).expand({-1, -1, rows.size(2)}));
  };
  const auto run = [&](const Tensor& in, size_t first) {
    const variable_list own(parameters.begin() + static_cast<int64_t>(first),
                            parameters.begin() + static_cast<int64_t>(first) + 4);
    const Tensor start = torch::zeros({1, x.size(0), own[1].size(1)}, x.options().requires_grad(false));
    return std::get<0>(torch::gru(in, start, own, /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0.0,
                                  /*train=*/false, /*bidirectional=*/false, /*batch_first=*/true));
  };
  const Tensor states = torch::cat({run(x, 0), turn(run(turn(x), 4))}, 2);
  return states.masked_fill(padding_mask(x.size(1), lengths, x.device()).unsqueeze(2), 0);
}

}  // namespace otseq2set::inline autograd
