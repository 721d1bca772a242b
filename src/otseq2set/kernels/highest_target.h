// Keeps the kernels from using all that the processor can do.
//
// With OTSEQ2SET_HIGHEST_TARGET=AVX2 in the environment (any of Highway's names) nothing above it is used:
// a machine with AVX-512 computes as one without. Highway has no such variable of its own. ATen and OpenBLAS
// have theirs; `./run test-targets` sets all of them.
#pragma once

namespace otseq2set::inline kernels {

// Obeys the variable; to be called once, before anything is computed. A name that the kernels were not
// compiled for is a UsageError.
void apply_highest_target();

}  // namespace otseq2set::inline kernels
