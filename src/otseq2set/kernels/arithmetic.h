// Two ways to compute with float32 numbers.
#pragma once

namespace otseq2set::inline kernels {

enum class Arithmetic {
  kFused,   // multiplies and adds at once where the processor can, exact functions: last digits depend on the processor
  kSteady,  // every operation rounds by itself, sums have a fixed order: the same bits on every instruction set. tanh
            // and sigmoid are exact to 2e-6, which is far below what rounding weights to bytes changes
};

}  // namespace otseq2set::inline kernels
