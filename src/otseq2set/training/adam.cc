#include "otseq2set/training/adam.h"

#include <algorithm>
#include <cmath>

#include "otseq2set/autograd/choice.h"
#include "otseq2set/core/threads.h"

namespace otseq2set::inline training {

namespace {

using torch::Tensor;

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8, kTiny = 1e-30;
constexpr int64_t kPiece = 1 << 16;  // values per unit of parallel work

struct Piece {
  size_t tensor;
  int64_t begin, end;
};

int64_t row_width(const Tensor& tensor) { return tensor.size(0) > 0 ? tensor.numel() / tensor.size(0) : 1; }

// Where `whole_rows` says so, no row is cut.
std::vector<Piece> pieces_of(const std::vector<Tensor>& tensors, const std::vector<bool>& whole_rows) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int64_t size = tensors[i].numel(), unit = whole_rows[i] ? row_width(tensors[i]) : 1;
    const int64_t piece = std::max<int64_t>(kPiece / unit, 1) * unit;
    for (int64_t begin = 0; begin < size; begin += piece) pieces.push_back({i, begin, std::min(begin + piece, size)});
  }
  return pieces;
}

bool is_fused(const Tensor& tensor) { return use_fused_kernel(tensor) && tensor.scalar_type() == torch::kFloat32; }

// Several chains of additions at the same time; one alone would wait for each addition.
double sum_of_squares(const float* values, int64_t count) {
  constexpr int64_t kSums = 16;
  double sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int64_t j = 0; j < kSums; ++j) sums[j] += static_cast<double>(values[i + j]) * values[i + j];
  }
  for (; i < count; ++i) sums[0] += static_cast<double>(values[i]) * values[i];
  double total = 0;
  for (double sum : sums) total += sum;
  return total;
}

double gradient_norm_plain(const std::vector<Tensor>& gradients) {
  double total = 0;
  for (const Tensor& gradient : gradients) total += gradient.to(torch::kFloat64).square().sum().item<double>();
  return std::sqrt(total);
}

struct Factors {
  float scale, rate, inverse_root;  // rate includes 1 / (1 - b1^t); inverse_root is 1 / sqrt(1 - b2^t)
};

float without_tiny(float value) { return std::abs(value) < static_cast<float>(kTiny) ? 0.0F : value; }

void update(float* p, float* m, float* v, const float* g, int64_t count, const Factors& f) {
  const auto b1 = static_cast<float>(kBeta1), b2 = static_cast<float>(kBeta2), eps = static_cast<float>(kEpsilon);
  // Not 1 - b2 in float32, which is off by 5e-5.
  const auto rest1 = static_cast<float>(1 - kBeta1), rest2 = static_cast<float>(1 - kBeta2);
  for (int64_t i = 0; i < count; ++i) {
    const float gradient = g[i] * f.scale;
    m[i] = without_tiny(b1 * m[i] + rest1 * gradient);
    v[i] = without_tiny(b2 * v[i] + rest2 * gradient * gradient);
    p[i] -= f.rate * m[i] / (std::sqrt(v[i]) * f.inverse_root + eps);
  }
}

bool any_nonzero(const float* values, int64_t count) {
  bool any = false;
  for (int64_t i = 0; i < count; ++i) any |= values[i] != 0;
  return any;
}

void update_rows(float* p, float* m, float* v, const float* g, int64_t count, int64_t width, const Factors& f) {
  for (int64_t i = 0; i < count; i += width) {
    if (any_nonzero(g + i, width)) update(p + i, m + i, v + i, g + i, width, f);
  }
}

// The same with LibTorch's operations, on any device.
void update_plain(const Tensor& p, const Tensor& m, const Tensor& v, const Tensor& g, bool lazy, const Factors& f) {
  const Tensor gradient = g * f.scale;
  const auto without_tiny = [](const Tensor& moment) { return moment.masked_fill(moment.abs() < kTiny, 0); };
  Tensor mean = without_tiny(kBeta1 * m + (1 - kBeta1) * gradient);
  Tensor square = without_tiny(kBeta2 * v + (1 - kBeta2) * gradient.square());
  Tensor moved = p - f.rate * mean / (square.sqrt() * f.inverse_root + kEpsilon);
  if (lazy) {
    const Tensor used = g.ne(0).view({g.size(0), -1}).any(1).view({-1, 1}).expand({-1, row_width(g)});
    const Tensor mask = used.reshape(g.sizes());
    mean = torch::where(mask, mean, m);
    square = torch::where(mask, square, v);
    moved = torch::where(mask, moved, p);
  }
  m.copy_(mean);
  v.copy_(square);
  p.copy_(moved);
}

}  // namespace

double gradient_norm(const std::vector<Tensor>& gradients) {
  if (!std::all_of(gradients.begin(), gradients.end(), is_fused)) return gradient_norm_plain(gradients);
  const std::vector<Piece> pieces = pieces_of(gradients, std::vector<bool>(gradients.size()));
  std::vector<double> sums(pieces.size());
  parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const Piece& piece = pieces[i];
    sums[i] = sum_of_squares(gradients[piece.tensor].data_ptr<float>() + piece.begin, piece.end - piece.begin);
  });
  double total = 0;
  for (double sum : sums) total += sum;
  return std::sqrt(total);
}

Adam::Adam(std::vector<Tensor> parameters, const std::vector<Tensor>& lazy) : parameters_(std::move(parameters)) {
  for (const Tensor& parameter : parameters_) {
    first_.push_back(torch::zeros_like(parameter.detach()));
    second_.push_back(torch::zeros_like(parameter.detach()));
    lazy_.push_back(
        std::any_of(lazy.begin(), lazy.end(), [&](const Tensor& tensor) { return tensor.is_alias_of(parameter); }));
  }
}

void Adam::step(const std::vector<Tensor>& gradients, double rate, double scale) {
  ++steps_;
  const Factors factors{static_cast<float>(scale),
                        static_cast<float>(rate / (1 - std::pow(kBeta1, static_cast<double>(steps_)))),
                        static_cast<float>(1 / std::sqrt(1 - std::pow(kBeta2, static_cast<double>(steps_))))};
  if (!std::all_of(parameters_.begin(), parameters_.end(), is_fused)) {
    torch::NoGradGuard no_gradient;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      update_plain(parameters_[i], first_[i], second_[i], gradients[i], lazy_[i], factors);
    }
    return;
  }
  const std::vector<Piece> pieces = pieces_of(parameters_, lazy_);
  parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const auto [tensor, begin, end] = pieces[i];
    const auto at = [begin = begin](const Tensor& values) { return values.data_ptr<float>() + begin; };
    float *p = at(parameters_[tensor]), *m = at(first_[tensor]), *v = at(second_[tensor]);
    const float* g = at(gradients[tensor]);
    if (lazy_[tensor]) {
      update_rows(p, m, v, g, end - begin, row_width(parameters_[tensor]), factors);
    } else {
      update(p, m, v, g, end - begin, factors);
    }
  });
}

}  // namespace otseq2set::inline training
