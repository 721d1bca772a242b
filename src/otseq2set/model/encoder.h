// The encoder (paper, eq. 2-3): word vectors through bidirectional GRU layers.
//
//   h_i = [forward GRU at i; backward GRU at i],   s_0 = tanh(W [last forward; last backward] + b)
//
// Documents of a batch have their own lengths; what stands behind a document's end never enters its states.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "otseq2set/config/config.h"
#include "otseq2set/model/dropout.h"

namespace otseq2set::inline model {

// Bidirectional GRU layers with the parameter names of torch.nn.GRU (weight_ih_l0, ..., _reverse).
class BidirectionalGruImpl : public torch::nn::Module {
 public:
  BidirectionalGruImpl(int64_t input, int64_t hidden, int64_t layers);

  struct Output {
    torch::Tensor states;  // [batch, words, 2 hidden] of the top layer, zero behind a document's end
    torch::Tensor last;    // [batch, 2 hidden]: forward state at the last word, backward state at the first
  };

  // x: [batch, words, input]; lengths: [batch] int64 on the CPU, descending.
  Output forward(torch::Tensor x, const torch::Tensor& lengths, const Dropout& dropout);

 private:
  int64_t hidden_;
  std::vector<std::vector<torch::Tensor>> layers_;  // the eight parameters of each layer
};
TORCH_MODULE(BidirectionalGru);

struct Encoded {
  torch::Tensor states;  // [batch, words, 2 hidden]
  torch::Tensor first;   // [batch, hidden], s_0
};

class EncoderImpl : public torch::nn::Module {
 public:
  EncoderImpl(int64_t word_ids, const ModelConfig& config);

  // words: [batch, words] int64; lengths: [batch] int64 on the CPU, descending.
  Encoded forward(const torch::Tensor& words, const torch::Tensor& lengths, const Dropout& dropout);

 private:
  torch::nn::Embedding embedding_;
  BidirectionalGru rnn_;
  torch::nn::Linear fc_;
};
TORCH_MODULE(Encoder);

}  // namespace otseq2set::inline model
