#include "otseq2set/training/adam.h"

#include <algorithm>
#include <cmath>

#include "otseq2set/core/threads.h"

namespace otseq2set {

namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
constexpr int64_t kPiece = 1 << 16;  // values per unit of parallel work

struct Piece {
  size_t tensor;
  int64_t begin, end;
};

std::vector<Piece> pieces_of(const std::vector<torch::Tensor>& tensors) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int64_t size = tensors[i].numel();
    for (int64_t begin = 0; begin < size; begin += kPiece)
      pieces.push_back({i, begin, std::min(begin + kPiece, size)});
  }
  return pieces;
}

struct Factors {
  float scale, rate, inverse_root;  // rate includes 1 / (1 - b1^t); inverse_root is 1 / sqrt(1 - b2^t)
};

void update(float* p, float* m, float* v, const float* g, int64_t count, const Factors& f) {
  const auto b1 = static_cast<float>(kBeta1), b2 = static_cast<float>(kBeta2),
             eps = static_cast<float>(kEpsilon);
  for (int64_t i = 0; i < count; ++i) {
    const float gradient = g[i] * f.scale;
    m[i] = b1 * m[i] + (1 - b1) * gradient;
    v[i] = b2 * v[i] + (1 - b2) * gradient * gradient;
    p[i] -= f.rate * m[i] / (std::sqrt(v[i]) * f.inverse_root + eps);
  }
}

}  // namespace

double gradient_norm(const std::vector<torch::Tensor>& gradients) {
  const std::vector<Piece> pieces = pieces_of(gradients);
  std::vector<double> sums(pieces.size());
  parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const auto* values = gradients[pieces[i].tensor].data_ptr<float>();
    double sum = 0;
    for (int64_t j = pieces[i].begin; j < pieces[i].end; ++j)
      sum += static_cast<double>(values[j]) * values[j];
    sums[i] = sum;
  });
  double total = 0;
  for (double sum : sums) total += sum;
  return std::sqrt(total);
}

Adam::Adam(std::vector<torch::Tensor> parameters) : parameters_(std::move(parameters)) {
  for (const torch::Tensor& parameter : parameters_) {
    first_.push_back(torch::zeros_like(parameter.detach()));
    second_.push_back(torch::zeros_like(parameter.detach()));
  }
}

void Adam::step(const std::vector<torch::Tensor>& gradients, double rate, double scale) {
  ++steps_;
  const Factors factors{static_cast<float>(scale),
                        static_cast<float>(rate / (1 - std::pow(kBeta1, static_cast<double>(steps_)))),
                        static_cast<float>(1 / std::sqrt(1 - std::pow(kBeta2, static_cast<double>(steps_))))};
  const std::vector<Piece> pieces = pieces_of(parameters_);
  parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const Piece& piece = pieces[i];
    auto at = [&](const torch::Tensor& tensor) { return tensor.data_ptr<float>() + piece.begin; };
    update(at(parameters_[piece.tensor]), at(first_[piece.tensor]), at(second_[piece.tensor]),
           at(gradients[piece.tensor]), piece.end - piece.begin, factors);
  });
}

}  // namespace otseq2set
