// A GRU layer in one direction with weights that are bytes, for a few documents, in the calling thread: the equations
// of gru_walk.h, for prediction alone. The products of the words are not computed for all words before but for a few at a
// time: they stay in the cache until they are used, and nothing but the states goes to memory.
//
// States have the same bits on every instruction set.
#pragma once

#include <cstdint>

#include "otseq2set/core/weight_matrix.h"
#include "otseq2set/kernels/gru_walk.h"
#include "otseq2set/kernels/int8_panels.h"

namespace otseq2set::inline kernels {

class Int8Gru {
 public:
  // weight_ih: bytes [3 hidden, input], weight_hh: bytes [3 hidden, hidden]; biases [3 hidden].
  Int8Gru(int64_t hidden, int64_t input, const WeightMatrix<float>& weight_ih, const WeightMatrix<float>& weight_hh,
          const float* bias_ih, const float* bias_hh);

  int64_t input() const { return input_; }

  // words: row starts[t] + d is word t of document d; states: [documents, words, 2 hidden], of which this direction's
  // half is written, up to each document's end.
  void walk(const GruDocuments& documents, Direction direction, const Int8Rows& words, float* states) const;

 private:
  int64_t hidden_, input_;
  Int8Panels input_weight_, recurrent_weight_;  // a panel's three vectors are the r, z and n of the same units
  Int8Panels::Array<float> biases_;             // r and z of both sides together, n of the input, n of the state
};

}  // namespace otseq2set::inline kernels
