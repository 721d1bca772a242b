// The part of a GRU layer that goes word by word,
// for one direction and a few documents, in the calling thread.
//
//   r = sigmoid(x_r + W_r h + b_r),  z = sigmoid(x_z + W_z h + b_z),  n = tanh(x_n + r (W_n h + b_n))
//   next h = (1 - z) n + z h
//
// x_* are the products of the words with the input weights, computed before for all words at once. Lengths
// descend, so the documents that have a word t are always the first ones, and the real words of all documents
// can stand in the order in which they are taken: row starts[t] + d of `gates` is word t of document d.
// Lengths 3, 3, 1 give starts 0, 3, 5, 7.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

namespace otseq2set::inline kernels {

struct GruDocuments {
  std::vector<int64_t> lengths;  // descending, at least 1
  std::vector<int64_t> starts;   // real words at positions below 0, 1, ..., the longest length
  int64_t words;                 // what `states` has room for in each document

  int64_t count() const { return static_cast<int64_t>(lengths.size()); }
  int64_t longest() const { return lengths.front(); }
  int64_t rows() const { return starts.back(); }
  int64_t row(int64_t document, int64_t t) const { return starts[t] + document; }
  int64_t count_at(int64_t t) const { return starts[t + 1] - starts[t]; }  // documents that have a word t
};

// lengths: of the documents, descending from at most `words` to at least 1; a std::invalid_argument otherwise.
GruDocuments gru_documents(std::vector<int64_t> lengths, int64_t words);

// Calls body(row, document, t) for every real word.
template <typename Body>
void for_each_word(const GruDocuments& documents, const Body& body) {
  for (int64_t t = 0, row = 0; t < documents.longest(); ++t) {
    for (int64_t document = 0; document < documents.count_at(t); ++document) body(row++, document, t);
  }
}

enum class Direction { kForward, kReverse };

// weight_hh as gru_walk multiplies with it.
template <typename T>
using PackedRecurrent = hwy::AlignedFreeUniquePtr<T[]>;
PackedRecurrent<float> pack_recurrent(int64_t hidden, const float* weight_hh);
PackedRecurrent<double> pack_recurrent(int64_t hidden, const double* weight_hh);

template <typename T>
struct GruWeights {
  int64_t hidden;
  const T* weight_hh;  // [3 hidden, hidden]
  const T* bias_ih;    // [3 hidden]
  const T* bias_hh;    // [3 hidden]
};

// Through the documents, word by word.
template <typename T>
struct GruWalk {
  const GruDocuments& documents;
  Direction direction;
  GruWeights<T> weights;
  const T* packed;  // weight_hh by pack_recurrent
  T* gates;         // [rows, 4 hidden]; before: x_r, x_z, x_n without bias; after: r, z, n, W_n h + b_n
  T* states;        // [documents, words, 2 hidden]; written: this direction's half, up to each document's end
};
void gru_walk(const GruWalk<float>& walk);
void gru_walk(const GruWalk<double>& walk);

// And the way back, with the gradients.
template <typename T>
struct GruWalkBack {
  const GruDocuments& documents;
  Direction direction;
  GruWeights<T> weights;
  const T* states;     // [documents, words, 2 hidden]
  const T* gradients;  // of the states, laid out like them
  T* gates;            // [rows, 4 hidden]; before: what gru_walk left; after: the gradients of what r, z and n are
                       // the sigmoid and tanh of (those of x_r, x_z, x_n), and that of W_n h + b_n
  T* gate_sums;        // [4 hidden], written: the sum of the rows of `gates`
};
void gru_walk_back(const GruWalkBack<float>& walk);
void gru_walk_back(const GruWalkBack<double>& walk);

}  // namespace otseq2set::inline kernels
