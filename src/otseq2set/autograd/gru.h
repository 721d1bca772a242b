// One bidirectional GRU layer (paper, eq. 2-3) over documents of unequal length.
//
//   r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
//   z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
//   n = tanh(W_in x + b_in + r (W_hn h + b_hn))
//   next h = (1 - z) n + z h
//
// The forward direction reads a document from its first word to its last, the reverse direction from its last
// to its first. Only real words are computed, so padding costs nothing but its zeros.
//
// A call runs in one thread where it is part of a parallel loop, and on its own with one thread for each
// direction; the results are the same.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace otseq2set::inline autograd {

// x: [batch, words, input]; lengths: [batch] int64 on the CPU, descending, at least 1.
// parameters: weight_ih [3 hidden, input], weight_hh [3 hidden, hidden], bias_ih and bias_hh [3 hidden] of
// the forward direction, then of the reverse one, with the gates in the order r, z, n. Returns the states
// [batch, words, 2 hidden], zero behind a document's end.
//
// The backward needs the memory of the forward for its own values, so it can run only once.
torch::Tensor bidirectional_gru(const torch::Tensor& x, const torch::Tensor& lengths,
                                const std::vector<torch::Tensor>& parameters);

torch::Tensor bidirectional_gru_plain(const torch::Tensor& x, const torch::Tensor& lengths,
                                      const std::vector<torch::Tensor>& parameters);

}  // namespace otseq2set::inline autograd
