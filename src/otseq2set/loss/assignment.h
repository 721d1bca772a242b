// The best one-to-one assignment of rows to columns (paper, section "Bipartite matching"): which decoding
// step is to produce which label?
//
//   maximise  sum over pairs of score[row, column]
//   with      min(rows, cols) pairs, each row and each column in at most one of them
//
// Shortest augmenting paths with dual variables (Jonker and Volgenant 1987, rectangular as in Crouse 2016):
// O(min(rows, cols)^2 * max(rows, cols)) time, O(rows * cols) memory.
//
// Ties. The result depends on the scores alone. The shorter side (the rows if the matrix is square) is served
// in ascending order; among equally near partners a free one goes before a taken one, then the lower index.
// In a matrix of equal scores row i therefore gets column i.
#pragma once

#include <vector>

namespace otseq2set::inline loss {

// score: [rows, cols], row-major, all finite; rows and cols may be 0.
// Returns for each row its column, or -1 for a row left over (only if rows > cols).
std::vector<int> assign(const double* score, int rows, int cols);

}  // namespace otseq2set::inline loss
