// The instruction sets that the products of bytes are compiled for: those of vector_targets.h, and AVX-512 with VNNI,
// which multiplies and adds four bytes at a time. Every file with such kernels includes this before Highway.
#pragma once

#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS ((HWY_AVX3_DL - 1) | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#include <hwy/targets.h>
