// The transport plan between decoding steps and labels (paper, section "Optimal transport"), by IPOT, the
// inexact proximal point method (Xie, Wang, Wang and Zha 2020).
//
//   plan ~ argmin over T >= 0 of  sum_ij T_ij C_ij   with row sums 1 / rows and column sums 1 / cols
//
//   G = exp(-C / beta),  T = 1,  s = 1 / cols;   then `outer` times:
//     Q = G * T (elementwise)
//     d_i = 1 / (rows * sum_j Q_ij s_j),   s_j = 1 / (cols * sum_i Q_ij d_i)     `inner` times
//     T = diag(d) Q diag(s)
//
// s is carried over from one outer iteration to the next. As s is set last, the column sums are exact (up to
// rounding) and the row sums approach 1 / rows as the iterations converge.
//
// The plan stays finite for every finite cost, and each cost that matters keeps its digits: before exp, the
// minimum of each row and then of each column is taken off C. Neither changes the plan (d and s absorb it),
// and no row or column of G can vanish.
#pragma once

#include <vector>

namespace otseq2set::inline loss {

struct IpotOptions {
  double beta = 1.0;  // step of the proximal point method, > 0; smaller is nearer to the exact plan
  int outer = 50;     // proximal steps, >= 1
  int inner = 1;      // scalings of d and s per proximal step, >= 1
};

// cost: [rows, cols], row-major, all finite; rows and cols may be 0.
// Returns the plan, [rows, cols], row-major.
std::vector<double> transport_plan(const double* cost, int rows, int cols, const IpotOptions& options = {});

}  // namespace otseq2set::inline loss
