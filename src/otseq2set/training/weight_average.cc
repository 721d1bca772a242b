#include "otseq2set/training/weight_average.h"

#include <algorithm>

#include "otseq2set/core/threads.h"

namespace otseq2set::inline training {

namespace {

constexpr int64_t kPiece = 1 << 18;  // values per unit of parallel work

}  // namespace

WeightAverage::WeightAverage(std::vector<torch::Tensor> parameters, double decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  for (const torch::Tensor& parameter : parameters_) values_.push_back(parameter.detach().clone());
}

void WeightAverage::step(int64_t t) {
  const auto past = static_cast<double>(t);
  const double rest = 1 - std::min(decay_, (1 + past) / (10 + past));
  struct Piece {
    torch::Tensor value, parameter;
  };
  std::vector<Piece> pieces;
  torch::NoGradGuard no_gradient;
  for (size_t i = 0; i < values_.size(); ++i) {
    const int64_t size = values_[i].numel();
    for (int64_t begin = 0; begin < size; begin += kPiece) {
      const auto part = [&](const torch::Tensor& whole) {
        return whole.view(-1).narrow(0, begin, std::min(kPiece, size - begin));
      };
      pieces.push_back({part(values_[i]), part(parameters_[i])});
    }
  }
  parallel_for(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    torch::NoGradGuard without_gradient;  // of this thread
    pieces[i].value.lerp_(pieces[i].parameter, rest);
  });
}

void WeightAverage::swap() {
  torch::NoGradGuard no_gradient;
  for (size_t i = 0; i < values_.size(); ++i) {
    const torch::Tensor before = parameters_[i].detach().clone();
    parameters_[i].copy_(values_[i]);
    values_[i].copy_(before);
  }
}

}  // namespace otseq2set::inline training
