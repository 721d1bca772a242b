// The softmax over the logits of some rows, in blocks of labels that are computed on all threads (paper, eq. 9-10).
//
// With thousands to millions of labels a row does not fit into a cache: each block is looked at while it is there.
// How the work is cut depends on the sizes alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "otseq2set/core/threads.h"
#include "otseq2set/kernels/arithmetic.h"
#include "otseq2set/kernels/packed_linear.h"
#include "otseq2set/kernels/row_math.h"

namespace otseq2set::inline kernels {

// Labels of a block: part of the result's definition.
constexpr int64_t kBlockLabels = 5 * PackedLinear<float>::kPiece;

// What is known of a row: its best id, and log of sum exp logits = largest + excess. The sum of the two has not the
// digits that probabilities need when logits are large. NaN or infinite where a logit is.
struct RowSoftmax {
  int64_t best;
  double largest, excess;
};

// The peaks of a row's blocks as one; sums of exponentials add up once they are brought to the same peak.
template <typename T>
RowSoftmax joined_blocks(const RowPeak<T>* peaks, int64_t count, int64_t stride) {
  RowSoftmax row{peaks[0].place, peaks[0].largest, 0};
  for (int64_t block = 1; block < count; ++block) {
    const RowPeak<T>& peak = peaks[block * stride];
    if (peak.largest > row.largest) row = {peak.place, peak.largest, 0};
  }
  double sum = 0;
  for (int64_t block = 0; block < count; ++block) {
    const RowPeak<T>& peak = peaks[block * stride];
    sum += peak.sum * std::exp(static_cast<double>(peak.largest) - row.largest);
  }
  row.excess = std::log(sum);
  return row;
}

// The peak of a row in the labels from `begin` on; logits: of these.
template <typename T>
RowPeak<T> block_peak(const T* logits, int64_t begin, int64_t count, Arithmetic arithmetic = Arithmetic::kFused) {
  RowPeak<T> peak = row_peak(logits, count, arithmetic);
  peak.place += begin;
  return peak;
}

// write_peaks(begin, end, peaks) computes the logits of the labels from begin to end and writes the peak of every row.
template <typename T, typename WritePeaks>
std::vector<RowSoftmax> softmax_of_peaks(int64_t rows, int64_t labels, const WritePeaks& write_peaks) {
  const int64_t blocks = (labels + kBlockLabels - 1) / kBlockLabels;
  std::vector<RowPeak<T>> peaks(blocks * rows);
  parallel_for(blocks, [&](int64_t block) {
    const int64_t begin = block * kBlockLabels, end = std::min(begin + kBlockLabels, labels);
    write_peaks(begin, end, &peaks[block * rows]);
  });
  std::vector<RowSoftmax> result(rows);
  for (int64_t row = 0; row < rows; ++row) result[row] = joined_blocks(&peaks[row], blocks, rows);
  return result;
}

// compute(begin, end) writes the columns from begin to end of logits [rows, labels].
template <typename T, typename Compute>
std::vector<RowSoftmax> softmax_in_blocks(int64_t rows, int64_t labels, const T* logits, const Compute& compute) {
  return softmax_of_peaks<T>(rows, labels, [&](int64_t begin, int64_t end, RowPeak<T>* peaks) {
    compute(begin, end);
    for (int64_t row = 0; row < rows; ++row) peaks[row] = block_peak(logits + row * labels + begin, begin, end - begin);
  });
}

}  // namespace otseq2set::inline kernels
