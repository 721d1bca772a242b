// Dropout whose masks depend on the seed, the training step, the document's row in its batch and the place in
// the network, and on nothing else: not on threads, not on how a batch is cut or padded.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string_view>

namespace otseq2set::inline model {

class Dropout {
 public:
  // No dropout: prediction.
  Dropout() = default;

  // Training at `rate`; row i of the tensors given is row first_row + i of the batch.
  Dropout(double rate, uint64_t seed, uint64_t step, int64_t first_row)
      : rate_(rate), seed_(seed), step_(step), first_row_(first_row) {}

  // The same for tensors whose row 0 is this one's row `row`.
  Dropout from_row(int64_t row) const { return {rate_, seed_, step_, first_row_ + row}; }

  // x: [rows, ...], any padding at the end of a row. `site` names the place, `index` the repetition there.
  torch::Tensor operator()(const torch::Tensor& x, std::string_view site, uint64_t index = 0) const;

  // What x of that shape is multiplied with: 0 or 1 / (1 - rate). Only in training.
  bool active() const { return rate_ > 0; }
  torch::Tensor mask(torch::IntArrayRef shape, const torch::TensorOptions& options, std::string_view site,
                     uint64_t index = 0) const;

 private:
  double rate_ = 0;
  uint64_t seed_ = 0;
  uint64_t step_ = 0;
  int64_t first_row_ = 0;
};

}  // namespace otseq2set::inline model
