// Runs a test of vector kernels once for each instruction set that the machine has.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "otseq2set/kernels/vector_targets.h"

namespace otseq2set::testing {

template <typename Body>
void for_each_target(const Body& body) {
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);  // all of them again
}

}  // namespace otseq2set::testing
