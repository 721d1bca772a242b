// The tests obey OTSEQ2SET_HIGHEST_TARGET as the program does.
#include <gtest/gtest.h>

#include "otseq2set/kernels/highest_target.h"

namespace otseq2set::testing {
namespace {

class HighestTarget : public ::testing::Environment {
 public:
  void SetUp() override { apply_highest_target(); }
};

const auto* const registered = ::testing::AddGlobalTestEnvironment(new HighestTarget);

}  // namespace
}  // namespace otseq2set::testing
