#include "otseq2set/autograd/label_softmax.h"

#include <algorithm>

#include "otseq2set/autograd/blas.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/output_softmax.h"

namespace otseq2set::inline autograd {

namespace {

using torch::Tensor;

// Sizes of the pieces that one thread works on at a time. They are part of the result's definition.
constexpr int64_t kLabels = kBlockLabels, kRows = 64, kTileRows = 256, kTileColumns = 128;

int64_t pieces(int64_t size, int64_t piece) { return (size + piece - 1) / piece; }

bool is_float(const Tensor& tensor) { return tensor.scalar_type() == torch::kFloat32; }

}  // namespace

LabelSoftmax::LabelSoftmax(const Tensor& weight, const Tensor& bias, int64_t rows)
    : weight_(weight.detach().contiguous()),
      bias_(bias.detach().contiguous()),
      logits_(torch::empty({rows, weight.size(0)}, weight.options().requires_grad(false))),
      log_sums_(torch::empty({rows}, logits_.options())),
      largest_(torch::empty_like(log_sums_)),
      excess_(torch::empty_like(log_sums_)) {}

// logits: [rows of in, label ids], of which the columns from begin to end are written.
template <typename T>
void LabelSoftmax::block_logits(const Tensor& in, int64_t begin, int64_t end, T* logits) const {
  const int64_t rows = in.size(0), width = in.size(1), labels = logits_.size(1);
  for (int64_t row = 0; row < rows; ++row) {
    std::copy(bias_.data_ptr<T>() + begin, bias_.data_ptr<T>() + end, logits + row * labels + begin);
  }
  gemm(kNo, kYes, rows, end - begin, width, T{1}, in.data_ptr<T>(), in.stride(0), weight_.data_ptr<T>() + begin * width,
       width, T{1}, logits + begin, labels);
}

template <typename T>
Tensor LabelSoftmax::forward_any(const Tensor& in, int64_t first_row) {
  const int64_t rows = in.size(0), labels = logits_.size(1);
  T* logits = logits_.data_ptr<T>() + first_row * labels;
  const std::vector<RowSoftmax> found = softmax_in_blocks(
      rows, labels, logits, [&](int64_t begin, int64_t end) { block_logits(in, begin, end, logits); });
  Tensor best = torch::empty({rows}, torch::kInt64);
  for (int64_t row = 0; row < rows; ++row) {
    best.data_ptr<int64_t>()[row] = found[row].best;
    largest_.data_ptr<T>()[first_row + row] = static_cast<T>(found[row].largest);
    excess_.data_ptr<T>()[first_row + row] = static_cast<T>(found[row].excess);
    log_sums_.data_ptr<T>()[first_row + row] = static_cast<T>(found[row].largest + found[row].excess);
  }
  return best;
}

Tensor LabelSoftmax::forward(const Tensor& in, int64_t first_row) {
  return is_float(logits_) ? forward_any<float>(in, first_row) : forward_any<double>(in, first_row);
}

double LabelSoftmax::log_probability(int64_t row, int64_t id) const {
  const auto value = [&](auto* logits, auto* largest, auto* excess) {
    return static_cast<double>(logits[row * logits_.size(1) + id] - largest[row] - excess[row]);
  };
  return is_float(logits_) ? value(logits_.data_ptr<float>(), largest_.data_ptr<float>(), excess_.data_ptr<float>())
                           : value(logits_.data_ptr<double>(), largest_.data_ptr<double>(), excess_.data_ptr<double>());
}

void LabelSoftmax::normalise() {
  const int64_t labels = logits_.size(1);
  const auto run = [&](auto* logits, auto* largest, auto* excess) {
    parallel_for(rows(), [&](int64_t row) { row_exp(logits + row * labels, labels, largest[row], excess[row]); });
  };
  is_float(logits_) ? run(logits_.data_ptr<float>(), largest_.data_ptr<float>(), excess_.data_ptr<float>())
                    : run(logits_.data_ptr<double>(), largest_.data_ptr<double>(), excess_.data_ptr<double>());
}

template <typename T>
Tensor LabelSoftmax::expected_any(const Tensor& vectors) const {
  const int64_t labels = logits_.size(1), width = vectors.size(1);
  Tensor expected = torch::empty({rows(), width}, logits_.options());
  parallel_for(pieces(rows(), kRows), [&](int64_t piece) {
    const int64_t begin = piece * kRows, count = std::min(kRows, rows() - begin);
    gemm(kNo, kNo, count, width, labels, T{1}, logits_.data_ptr<T>() + begin * labels, labels, vectors.data_ptr<T>(),
         width, T{0}, expected.data_ptr<T>() + begin * width, width);
  });
  return expected;
}

Tensor LabelSoftmax::expected_vectors(const Tensor& vectors) const {
  return is_float(logits_) ? expected_any<float>(vectors) : expected_any<double>(vectors);
}

// d logit = P (weight + d x . E - d x . x) - weight [this is the target], because the mean of d x . E under P
// is d x . x. In place of P, for the labels from begin to end.
template <typename T>
void LabelSoftmax::to_gradients(const RowLoss& loss, int64_t begin, int64_t end) {
  const int64_t labels = logits_.size(1), count = end - begin;
  const int64_t width = loss.vectors.defined() ? loss.vectors.size(1) : 0;
  std::vector<T> through_vectors(width > 0 ? rows() * count : 0);
  if (width > 0) {
    gemm(kNo, kYes, rows(), count, width, T{1}, loss.vector_gradients.data_ptr<T>(), width,
         loss.vectors.data_ptr<T>() + begin * width, width, T{0}, through_vectors.data(), count);
  }
  for (int64_t row = 0; row < rows(); ++row) {
    T mean = 0;
    for (int64_t j = 0; j < width; ++j) {
      mean += loss.vector_gradients.data_ptr<T>()[row * width + j] * loss.expected.data_ptr<T>()[row * width + j];
    }
    const auto weight = static_cast<T>(loss.weights[row]);
    T* gradients = logits_.data_ptr<T>() + row * labels;
    row_scale(gradients + begin, count, weight - mean, width > 0 ? &through_vectors[row * count] : nullptr);
    const int64_t target = loss.targets[row];
    if (target >= begin && target < end) gradients[target] -= weight;
  }
}

template <typename T>
Tensor LabelSoftmax::backward_any(const Tensor& in, const RowLoss& loss, Tensor& weight_gradient,
                                  Tensor& bias_gradient) {
  const int64_t labels = logits_.size(1), width = in.size(1);
  T* gradients = logits_.data_ptr<T>();
  parallel_for(pieces(labels, kLabels), [&](int64_t block) {
    const int64_t begin = block * kLabels, end = std::min(begin + kLabels, labels);
    to_gradients<T>(loss, begin, end);
    gemm(kYes, kNo, end - begin, width, rows(), T{1}, gradients + begin, labels, in.data_ptr<T>(), width, T{0},
         weight_gradient.data_ptr<T>() + begin * width, width);
    T* bias = bias_gradient.data_ptr<T>();
    std::fill(bias + begin, bias + end, T{0});
    for (int64_t row = 0; row < rows(); ++row) {
      for (int64_t id = begin; id < end; ++id) bias[id] += gradients[row * labels + id];
    }
  });

  Tensor in_gradient = torch::empty_like(in);
  const int64_t columns = pieces(width, kTileColumns);
  parallel_for(pieces(rows(), kTileRows) * columns, [&](int64_t tile) {
    const int64_t row = tile / columns * kTileRows, column = tile % columns * kTileColumns;
    gemm(kNo, kNo, std::min(kTileRows, rows() - row), std::min(kTileColumns, width - column), labels, T{1},
         gradients + row * labels, labels, weight_.data_ptr<T>() + column, width, T{0},
         in_gradient.data_ptr<T>() + row * width + column, width);
  });
  return in_gradient;
}

Tensor LabelSoftmax::backward(const Tensor& in, const RowLoss& loss, Tensor& weight_gradient, Tensor& bias_gradient) {
  return is_float(logits_) ? backward_any<float>(in, loss, weight_gradient, bias_gradient)
                           : backward_any<double>(in, loss, weight_gradient, bias_gradient);
}

}  // namespace otseq2set::inline autograd
