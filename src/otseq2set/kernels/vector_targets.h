// Instruction sets that the kernels are not compiled for;
// every file with kernels includes this before Highway.
//
// Vectors of SVE and RISC-V have no size known to the compiler and cannot stand in an array, as the kernels'
// sums do; NEON serves on ARM.
#pragma once

// What the kernels do gains nothing from instruction sets beyond AVX-512's first (the lower bits) nor from SSSE3;
// each would be compiled for all the same. Products of bytes do gain: int8_targets.h, which a file includes first then.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS ((HWY_AVX3 - 1) | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif

#include <hwy/targets.h>
